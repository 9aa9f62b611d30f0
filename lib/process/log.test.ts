import { afterEach, expect, test, vi } from "vitest";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { log } from "./log.mjs";

const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
afterEach(() => written.mockClear());

const lineOf = (fields: Record<string, string>) => {
  log("info", "event", fields);
  return String(written.mock.calls.at(-1)?.[0]);
};

test("one event is one line of JSON, whatever line breaks a field holds", () => {
  const name = 'a\nb\r\nc\u2028d\u2029e\u0085f"}{';
  const line = lineOf({ name });
  expect(line.endsWith("\n")).toBe(true);
  expect(line.trimEnd()).not.toMatch(/[\n\r\u2028\u2029\u0085]/);
  expect(JSON.parse(line)).toMatchObject({ level: "info", event: "event", name });
});

test("server keys and one-time benchmark upload keys never reach the log", () => {
  for (const kind of ["serverKey", "benchmarkKey"] as const) {
    const key = mintToken(kind);
    const line = lineOf({ path: `/ingest/v1/benchmarks/${key}`, reason: `Bearer ${key.slice(0, 20)}` });
    expect(line).not.toContain(key.split("_")[1]?.slice(0, 8));
  }
});

test("tokens, hashes and passwords inside URLs never get through", () => {
  const token = mintToken();
  const line = lineOf({
    stack: `Error: ${token} at ${hashToken(token)}`,
    reason: "cannot reach postgresql://console:hunter2@db.internal:5432/console",
    cut: token.slice(0, 20),
  });
  expect(line).not.toContain(token.slice(5, 20));
  expect(line).not.toContain(hashToken(token));
  expect(line).not.toContain("hunter2");
  expect(line).toContain("db.internal:5432/console");
});

test("a long field is cut before reading, and a secret at the cut disappears", () => {
  const token = mintToken();
  for (const text of [
    "a".repeat(5_000_000),
    "cpat_".repeat(1_000_000),
    "://:".repeat(1_000_000),
    `${"x ".repeat(1980)}postgresql://console:hunter2${"2".repeat(30)}@db.internal`,
    `${" ".repeat(3990)}${token}`,
    `${" ".repeat(3970)}${hashToken(token)}`,
  ]) {
    const line = lineOf({ text });
    expect(line.length).toBeLessThan(8000);
    expect(line).toContain("… [cut]");
    expect(line).not.toContain("hunter2");
    expect(line).not.toContain(token.slice(0, 12));
    expect(line).not.toContain(hashToken(token).slice(0, 12));
  }
});

test("control, invisible and direction characters are logged as their numbers", () => {
  const name = "\u001b[31m\u007f\u009b31m\u200b\u202e\u2066\ufeff\u{e0041}\ud800";
  const line = lineOf({ name });
  expect(line.trimEnd()).toMatch(/^[ -~]+$/);
  expect(JSON.parse(line).name).toBe(name);
});
