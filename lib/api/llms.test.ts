import { expect, test } from "vitest";
import { ENDPOINTS } from "./contract";
import examples from "./examples.json";
import { writeLlms } from "./llms";
import { openApiDocument, templateOf } from "./openapi";

const ORIGIN = "https://console.example.com";
const text = writeLlms(openApiDocument(ORIGIN), ORIGIN);

test("llms.txt has at most 3,600 bytes and names every field of each endpoint", () => {
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(3600);
  for (const [path, { largest }] of ENDPOINTS) {
    const lines = text
      .split("\n")
      .filter((line) => new RegExp(`^- \`${templateOf(path)}[\`?]`.replace("{", "\\{")).test(line));
    expect(lines, path).toHaveLength(1);
    const names = new Set(lines[0]?.match(/\w+/g));
    const { data } = (examples as Record<string, { data: object }>)[path] ?? { data: {} };
    for (const name of namesIn(data)) expect(names, path).toContain(name);
    expect(lines[0]).toContain(largest.of);
  }
});

/** The names of all fields, those of free facts apart. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...(name === "facts" ? [] : namesIn(inner))]);
}
