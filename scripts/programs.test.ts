import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type TestContext, test, vi } from "vitest";
import { PROGRAMS, type Program } from "@/e2e/support/programs.mjs";
import { needsProgram } from "@/e2e/support/unit-needs";

const names = Object.keys(PROGRAMS) as Program[];

test(".ci/run installs the packages of that table: those that this machine lacks, each once", () => {
  const env = { ...process.env, PATH: "" };
  const printed = execFileSync(process.execPath, ["e2e/support/programs.mjs"], { env, encoding: "utf8" });
  const packages = printed.trim().split("\n");
  // Those that lie beside PATH may be there.
  const inPath = names.filter((name) => !("isThere" in PROGRAMS[name]));
  expect(packages).toEqual(expect.arrayContaining(inPath.flatMap((name) => PROGRAMS[name].packages)));
  expect(new Set(packages).size).toBe(packages.length);
  expect(readFileSync(".ci/run", "utf8")).toContain("$(node e2e/support/programs.mjs)");
});

test("a test lacking a program is skipped with the reason, and fails in CI", () => {
  vi.stubEnv("PATH", "");
  let skipped = 0;
  const context = { task: { meta: {} }, skip: () => void skipped++ } as unknown as TestContext;
  vi.stubEnv("CI", "");
  needsProgram(context, "wget");
  expect([context.task.meta.skipped, skipped]).toEqual(["no wget (apt install wget)", 1]);
  vi.stubEnv("CI", "true");
  expect(() => needsProgram(context, "wget")).toThrow("no wget (apt install wget)");
  vi.unstubAllEnvs();
});

/** What starts a program: its name as the first argument, or a function of e2e/support that runs it. */
const STARTS: Partial<Record<Program, RegExp>> = {
  caddy: /startCaddy\b/,
  curl: /AgentBench\(/,
  haproxy: /startHaProxy\(|new EdgeHost\(/,
  ip: /new EdgeHost\(|SystemdHost\.boot\(/,
  nginx: /startNginx\b/,
  openssl: /startNginx\b/,
  pgbouncer: /startPgBouncer\(/,
  postgres: /startPostgres\(/,
  prometheus: /startPrometheus\(|startPrometheusAgent\(/,
  "prometheus-node-exporter": /startNodeExporter\(/,
  promtool: /checkMetrics\(/,
  "redis-server": /startRedis\(/,
};

test("a spec that starts a program of the table asks for it", () => {
  const files = readdirSync("e2e", { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".spec.ts"));
  const forgotten = files.flatMap((file) => {
    const text = readFileSync(join("e2e", file), "utf8");
    const asked = [...text.matchAll(/\bneeds\(([^)]*)\)/g)].map(([, words]) => words).join();
    const others = text.replace(/\b(?:needs|shim)\([^)]*\)/g, "");
    return names
      .filter((name) => new RegExp(`[([]"${name}",`).test(others) || STARTS[name]?.test(others))
      .filter((name) => !new RegExp(`"${name}(?: with \\w+)?"`).test(asked))
      .map((name) => `${file} starts ${name}`);
  });
  expect(forgotten).toEqual([]);
});
