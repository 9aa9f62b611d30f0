import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempFolder } from "@/e2e/support/temp-folder";
import { MEASUREMENTS, measurementNames } from "@/lib/servers/telemetry/measurements";
import { mintToken } from "@/lib/tokens/format";
import { ENDPOINTS } from "./contract";
import { openApiDocument, openValues, type Schema, templateOf } from "./openapi";

const document = openApiDocument("https://console.example");
const { schemas } = document.components;

test("the linter has nothing to say about the document, not even a warning", { timeout: 60_000 }, () => {
  const file = join(tempFolder(), "openapi.json");
  writeFileSync(file, JSON.stringify(document));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["node_modules/@redocly/cli/bin/cli.js", "lint", file, "--config", "redocly.yaml", "--format", "json"],
    { encoding: "utf8", env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } },
  );
  const { totals } = JSON.parse(stdout || "{}") as { totals?: unknown };
  expect({ status, totals }, stdout + stderr).toEqual({ status: 0, totals: { errors: 0, warnings: 0, ignored: 0 } });
});

test("every endpoint of the contract is described, and nothing else", () => {
  expect(Object.keys(document.paths)).toEqual(ENDPOINTS.map(([path]) => templateOf(path)));
});

test("every schema field is described and required, unless it may be unmeasured", () => {
  const optional: string[] = [];
  for (const [name, schema] of Object.entries(schemas)) {
    expect(schema.description, name).toBeTruthy();
    for (const [field, property] of Object.entries(schema.properties ?? {})) {
      expect(describes(property), `${name}.${field}`).toBe(true);
      if (!schema.required?.includes(field)) optional.push(`${name}.${field}`);
    }
  }
  expect(optional.sort()).toEqual([
    "Facts.cores",
    "Facts.kernel",
    "Facts.os",
    ...measurementNames.map((name) => `LatestSample.${MEASUREMENTS[name].name}`).sort(),
  ]);
});

test("schemas let new fields pass and carry no keywords of standalone documents", () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain('"additionalProperties":false');
  expect(text).not.toContain('"$schema"');
  expect(text).not.toContain('"$id"');
});

test("every operation is summed up and described", () => {
  for (const [path, { get }] of Object.entries(document.paths)) {
    expect([get.summary.trim(), get.description.trim()], path).not.toContain("");
  }
});

test("no answer closes a list of values or fixes a header to one number", () => {
  const closed: string[] = [];
  const look = (value: unknown, place: string): void => {
    if (typeof value !== "object" || value === null) return;
    const schema = value as Schema;
    if (schema.enum || schema.const !== undefined) closed.push(place);
    for (const [key, part] of Object.entries(value)) {
      if (key !== "examples" && !(key === "anyOf" && openValues(schema))) look(part, `${place}.${key}`);
    }
  };
  const answers = [
    ...Object.values(document.paths).map(({ get }) => get.responses),
    ...Object.values(document["x-other-requests"]).map(({ responses }) => responses),
    document.components.responses,
  ].flatMap((responses) => Object.values(responses).filter((answer) => "headers" in answer));
  look(schemas, "schemas");
  for (const { description, content } of answers) look(content, description);
  expect(closed).toEqual([]);
  const headers = [document.components, ...answers].flatMap((part) => Object.entries(part.headers));
  const numbers = headers.filter(([, header]) => "schema" in header && /^\d+$/.test(String(header.schema.const)));
  expect(numbers.map(([name]) => name)).toEqual([]);
});

test("a token matches the pattern of the security scheme, and nothing longer does", () => {
  const { token } = document.components.securitySchemes as { token: { bearerFormat: string } };
  const pattern = new RegExp(`^${token.bearerFormat}$`);
  expect(mintToken()).toMatch(pattern);
  expect(`${mintToken()}x`).not.toMatch(pattern);
});

/** A reference is described where it leads. */
function describes(property: Schema): boolean {
  const [, name] = /^#\/components\/schemas\/(\w+)$/.exec(property.$ref ?? "") ?? [];
  return Boolean(property.description ?? (name && schemas[name]?.description));
}
