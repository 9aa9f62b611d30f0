import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { atExit } from "./at-exit";
import { freePort } from "./free-port";

/** What `promtool check metrics` has to say about a text; "" when there is nothing. */
export function checkMetrics(text: string): string {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  return status === 0 ? stdout + stderr : stdout + stderr || "promtool failed.";
}

type PrometheusServer = {
  /** What its HTTP API answers, `data` alone. */
  ask(path: string): Promise<unknown>;
  stop(): Promise<void>;
};

/** A Prometheus of the test's own, with the configuration in `configFile` and its data in `dataDir`. */
export async function startPrometheus(configFile: string, dataDir: string): Promise<PrometheusServer> {
  const port = await freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${configFile}`,
      `--storage.tsdb.path=${dataDir}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const exited = once(child, "exit");
  atExit(() => child.kill("SIGKILL"));
  return {
    async ask(path) {
      if (child.exitCode !== null) throw new Error(`Prometheus has ended: ${errors}`);
      try {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
        return ((await response.json()) as { data: unknown }).data;
      } catch {
        // Not listening yet.
        return null;
      }
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}
