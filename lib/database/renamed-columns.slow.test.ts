import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ProjectCopy } from "@/e2e/support/project-copy";
import { MINUTE } from "@/lib/format/time";

const SCHEMA = "prisma/schema.prisma";

/** A field of each model, all of different names, some that SQL reads or writes and some that the typed client does. */
const FIELDS: Readonly<Record<string, string>> = {
  Account: "disabledAt",
  Session: "userAgent",
  AccessToken: "lastUsedAt",
  TokenUseHour: "limited",
  TokenVisitor: "network",
  Server: "stability",
  ServerKey: "keyHash",
  TelemetrySample: "swapUsedPct",
  TelemetryHour: "oomKills",
  BenchmarkRun: "verified",
  GameService: "configVersion",
  Ticket: "subject",
  MetricSample: "latencyMs",
};

test("SQL and typed client code using a renamed column does not compile", {
  timeout: 3 * MINUTE,
}, () => {
  const copy = new ProjectCopy();
  const schema = Object.entries(FIELDS).reduce(renamed, readFileSync(SCHEMA, "utf8"));
  copy.write(SCHEMA, schema);
  const generated = copy.run("prisma/build/index.js", "generate");
  expect(generated.status, generated.stderr).toBe(0);
  const errors = copy.typeErrors().replaceAll(/^(e2e|bench|.*\.test\.ts).*$/gm, "");
  for (const field of Object.values(FIELDS)) expect(errors).toContain(`'${field}'`);
});

function renamed(schema: string, [model, field]: [string, string]): string {
  const body = new RegExp(`^model ${model} \\{\\n.*?^\\}`, "ms").exec(schema)?.[0] ?? "";
  const changed = body.replace(new RegExp(`^  ${field} `, "m"), `  ${field}Renamed `);
  if (changed === body) throw new Error(`There is no field ${model}.${field}.`);
  return schema.replace(body, changed);
}
