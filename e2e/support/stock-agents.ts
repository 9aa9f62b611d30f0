import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { agentConfigurations, KEY_PLACE } from "@/app/dashboard/servers/agent-configurations";
import { atExit } from "./at-exit";
import { listen } from "./listen";

// Real agents of Debian, with the configurations that the console shows.

export type RunningAgent = { output(): string; stop(): Promise<void> };

/** The configuration that the console shows for an agent, with a key, and with these parts exchanged for the test. */
function configurationOf(name: string, origin: string, key: string, exchanged: Record<string, string>): string {
  const shown = agentConfigurations(origin).find((one) => one.name === name)?.text ?? "";
  return Object.entries({ [KEY_PLACE]: key, ...exchanged }).reduce((text, [part, instead]) => {
    if (!text.includes(part)) throw new Error(`The configuration of ${name} has no "${part}".`);
    return text.replaceAll(part, instead);
  }, shown);
}

/** Debian's Prometheus as an agent, which scrapes `target` every five seconds. */
export function startPrometheusAgent(dir: string, origin: string, key: string, target: string): RunningAgent {
  mkdirSync(dir, { recursive: true });
  const file = join(dir, "prometheus.yml");
  const exchanged = { "localhost:9100": target, "scrape_interval: 30s": "scrape_interval: 5s" };
  writeFileSync(file, configurationOf("Prometheus", origin, key, exchanged));
  return start("prometheus", [
    "--enable-feature=agent",
    `--config.file=${file}`,
    `--storage.agent.path=${join(dir, "data")}`,
    "--web.listen-address=127.0.0.1:0",
  ]);
}

/** Debian's node exporter, of this machine or of another /proc. Answers its `host:port`. */
export async function startNodeExporter(proc = "/proc"): Promise<RunningAgent & { target: string }> {
  const agent = start("prometheus-node-exporter", ["--web.listen-address=127.0.0.1:0", `--path.procfs=${proc}`]);
  return { ...agent, target: await agent.says(/msg="Listening on" address=(\S+)/) };
}

/** A target for Prometheus that answers what `pick` chooses at each scrape. */
export async function startTarget(pick: () => string): Promise<{ target: string; close(): void }> {
  const server = createServer(async (_, response) => {
    try {
      response.end(await (await fetch(`http://${pick()}/metrics`)).text());
    } catch {
      response.writeHead(503).end();
    }
  });
  return {
    target: `127.0.0.1:${await listen(server)}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** `says` waits for a line of the agent and answers the first group of the pattern. */
function start(program: string, args: string[]): RunningAgent & { says(pattern: RegExp): Promise<string> } {
  const child: ChildProcess = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  const exited = once(child, "exit");
  atExit(() => child.kill("SIGKILL"));
  return {
    output: () => output,
    async says(pattern) {
      for (;;) {
        const [, said] = pattern.exec(output) ?? [];
        if (said !== undefined) return said;
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} has ended: ${output}`);
        await Promise.race([once(child.stdout as Readable, "data"), once(child.stderr as Readable, "data"), exited]);
      }
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
