import { afterEach, expect, test, vi } from "vitest";
import { tellRefusedStart } from "./refused-start.mjs";

const written = vi.spyOn(process.stderr, "write").mockReturnValue(true);
const terminal = Object.getOwnPropertyDescriptor(process.stderr, "isTTY");
afterEach(() => {
  written.mockClear();
  Object.defineProperty(process.stderr, "isTTY", terminal ?? { value: undefined, configurable: true });
});

const sentence = 'PORT must be a whole number, not "x".\nNothing was started.';

function told(isTerminal: boolean): string {
  Object.defineProperty(process.stderr, "isTTY", { value: isTerminal, configurable: true });
  tellRefusedStart(sentence);
  return String(written.mock.calls.at(-1)?.[0]);
}

test("a refused start is a plain sentence on a terminal", () => {
  expect(told(true)).toBe(`${sentence}\n`);
});

test("a refused start is one line of JSON where nobody reads along", () => {
  const line = told(false);
  expect(line).toMatch(/^[^\n]+\n$/);
  expect(JSON.parse(line)).toMatchObject({ time: expect.any(String), level: "error", detail: sentence });
});
