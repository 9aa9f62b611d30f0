import { spawnSync } from "node:child_process";
import { freePort } from "./free-port";
import { startProgram } from "./own-program";

/** What `promtool check metrics` has to say about a text; "" when there is nothing. */
export function checkMetrics(text: string): string {
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  return status === 0 ? stdout + stderr : stdout + stderr || "promtool failed.";
}

/** A Prometheus of the test's own, with the configuration in `configFile` and its data in `dataDir`. */
export async function startPrometheus(configFile: string, dataDir: string) {
  const port = await freePort();
  const { child, output, stop } = startProgram("prometheus", [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${dataDir}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=error",
  ]);
  return {
    stop,
    /** What its HTTP API answers, `data` alone. */
    async ask(path: string): Promise<unknown> {
      if (child.exitCode !== null) throw new Error(`Prometheus has ended: ${output()}`);
      try {
        const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
        return ((await response.json()) as { data: unknown }).data;
      } catch {
        // Not listening yet.
        return null;
      }
    },
  };
}
