import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { agentConfigurations, KEY_PLACE } from "@/app/dashboard/servers/agent-configurations";
import { listen } from "./listen";
import { startProgram } from "./own-program";

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
  return startProgram("prometheus", [
    "--enable-feature=agent",
    `--config.file=${file}`,
    `--storage.agent.path=${join(dir, "data")}`,
    "--web.listen-address=127.0.0.1:0",
  ]);
}

/** Debian's node exporter, of this machine or of another /proc. Answers its `host:port`. */
export async function startNodeExporter(proc = "/proc"): Promise<RunningAgent & { target: string }> {
  const args = ["--web.listen-address=127.0.0.1:0", `--path.procfs=${proc}`];
  const agent = startProgram("prometheus-node-exporter", args);
  const target = () => /msg="Listening on" address=(\S+)/.exec(agent.output())?.[1] ?? "";
  await agent.until(() => target() !== "");
  return { ...agent, target: target() };
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
