import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { MACHINE_PATHS } from "./machine-path.mjs";

test.each(["nginx.conf", "Caddyfile"])("deploy/%s knows every path of machines", (file) => {
  const [, source = ""] = /\^(\/\S*readyz\S*\(\S*\|\$\))/.exec(readFileSync(`deploy/${file}`, "utf8")) ?? [];
  const known = new RegExp(`^${source}`);
  // nginx repeats what goes to /ingest in a place of its own.
  const paths = MACHINE_PATHS.filter((path) => path !== "/ingest");
  expect(paths.filter((path) => !known.test(path))).toEqual([]);
  expect(["/", "/sign-in", "/tokens", "/docs/api", "/apiary"].filter((path) => known.test(path))).toEqual([]);
});
