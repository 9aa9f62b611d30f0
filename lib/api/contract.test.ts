import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ENDPOINTS, successBody } from "./contract";
import { failure } from "./schemas";

test("every row of the contract has one route file, in the folder of its path, and no other route names a row", () => {
  const files = readdirSync("app/api/v1", { recursive: true, encoding: "utf8" });
  const routes = files.filter((file) => file.endsWith("/route.ts"));
  const named = routes.map((file) => {
    const path = `/api/v1/${file.replace("/route.ts", "").replaceAll(/\[(\w+)\]/g, ":$1")}`;
    return [path, /\bendpoint\(\s*"([^"]+)"/.exec(readFileSync(join("app/api/v1", file), "utf8"))?.[1]];
  });
  const expected = ENDPOINTS.map(([path]) => [path, path]);
  expect(named.sort()).toEqual(expected.sort());
});

test("a field that the contract does not name is refused in every body, however deep", () => {
  expect(() => successBody("/api/v1/me").parse({ data: {}, extra: 1 })).toThrow("Unrecognized key");
  expect(() => failure.parse({ error: "Not found.", code: 404 })).toThrow("Unrecognized key");
  const run = {
    id: 1,
    label: "a run",
    status: "done",
    scores: { cpu: 1, disk: 2, network: 3, stability: 4, total: 5 },
    verified: true,
    finished_at: 1,
  };
  const benchmarks = successBody("/api/v1/servers/:id/benchmarks");
  expect(benchmarks.safeParse({ data: { benchmarks: [run] } }).success).toBe(true);
  const withLog = { ...run, scores: { ...run.scores, log: "secret" } };
  expect(benchmarks.safeParse({ data: { benchmarks: [withLog] } }).success).toBe(false);
});
