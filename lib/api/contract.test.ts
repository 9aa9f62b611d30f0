import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAX_SERVICES } from "@/lib/game-services/management";
import { MAX_SERVERS } from "@/lib/servers/management";
import { ENDPOINTS, INTERVALS_PER_WEEK, successBody } from "./contract";
import examples from "./examples.json";
import { failure } from "./schemas";

test("every contract row has exactly one route file, in its path's folder", () => {
  const files = readdirSync("app/api/v1", { recursive: true, encoding: "utf8" });
  const routes = files.filter((file) => file.endsWith("/route.ts"));
  const named = routes.map((file) => {
    const path = `/api/v1/${file.replace("/route.ts", "").replaceAll(/\[(\w+)\]/g, ":$1")}`;
    return [path, /\bendpoint\(\s*"([^"]+)"/.exec(readFileSync(join("app/api/v1", file), "utf8"))?.[1]];
  });
  const expected = ENDPOINTS.map(([path]) => [path, path]);
  expect(named.sort()).toEqual(expected.sort());
});

test("a row's stated largest answer matches the size computed from its example", () => {
  const counts: Record<string, number> = {
    "/api/v1/servers": MAX_SERVERS,
    "/api/v1/servers/:id/benchmarks": 200,
    "/api/v1/game-services": MAX_SERVICES,
    "/api/v1/game-services/:id/metrics": 5 * INTERVALS_PER_WEEK,
  };
  for (const [path, { largest }] of ENDPOINTS) {
    const data = (examples as Record<string, { data: object }>)[path]?.data;
    // A new endpoint has no example before `npm run documents`.
    if (!data) continue;
    const list = Object.values(data).find(Array.isArray);
    const count = counts[path];
    const bytes = count && list ? count * (JSON.stringify(list).length / list.length) : JSON.stringify({ data }).length;
    expect(largest.kilobytes / (bytes / 1000), path).toBeGreaterThan(0.9);
    expect(largest.kilobytes / (bytes / 1000), path).toBeLessThan(3);
    if (count) expect(largest.kilobytes / (bytes / 1000), path).toBeLessThan(1.1);
  }
});

test("a field that the contract does not name is refused at any depth", () => {
  const accepts = (path: keyof typeof examples, data: object) => successBody(path).safeParse({ data }).success;
  for (const [path] of ENDPOINTS) {
    expect(() => successBody(path).parse(examples[path]), path).not.toThrow();
    expect(accepts(path, { ...examples[path].data, extra: 1 }), path).toBe(false);
  }
  const [run] = examples["/api/v1/servers/:id/benchmarks"].data.benchmarks;
  const withLog = { ...run, scores: { ...run?.scores, log: "secret" } };
  expect(accepts("/api/v1/servers/:id/benchmarks", { benchmarks: [withLog] })).toBe(false);
  expect(failure.safeParse({ error: "Not found.", code: 404 }).success).toBe(false);
});
