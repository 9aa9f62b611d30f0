import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// What Biome's rules on imports (biome.json) cannot tell apart: a type from a value.

/** The rooms that answer requests: they may use the API's own code. */
const DOORS = ["api", "ingest"];

test("a resource takes only types from lib/api", () => {
  const offending = readdirSync("lib", { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|mjs)$/.test(path) && !/\.test\.ts$|generated/.test(path))
    .filter((path) => !DOORS.some((door) => path.startsWith(`${door}/`)))
    .flatMap((path) => {
      const imports = readFileSync(join("lib", path), "utf8").match(/^(?:import|export) [^;]*from "[^"]+"/gm) ?? [];
      const values = imports.filter((text) => /lib\/api\/|\.\.\/api\//.test(text) && !/^\w+ type /.test(text));
      return values.map((text) => `lib/${path}: ${text}`);
    });
  expect(offending).toEqual([]);
});
