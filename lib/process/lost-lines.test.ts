import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { log } from "./log.mjs";
import { countLostLines } from "./lost-lines.mjs";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("log lines lost to a full disk are counted and reported once room returns", async () => {
  const before = countLostLines();
  const written: string[] = [];
  let full: Error | undefined = Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
  const take = (text: string, told: (error?: Error) => void) => {
    if (!full) written.push(text);
    told(full);
    return true;
  };
  const stream = vi.spyOn(process.stdout, "write").mockImplementation(take as typeof process.stdout.write);
  const since = new Date().toISOString();
  for (const n of [1, 2, 3]) log("info", "event", { n });
  expect(countLostLines() - before).toBe(3);
  await vi.advanceTimersByTimeAsync(60_000);
  full = undefined;
  await vi.advanceTimersByTimeAsync(60_000);
  stream.mockRestore();
  // On a line of its own: the last one may have been written in part.
  expect(written).toEqual([expect.stringMatching(/^\n\{.*\}\n$/)]);
  expect(JSON.parse(String(written[0]))).toMatchObject({ level: "error", event: "log lines lost", count: 3, since });
  expect(countLostLines() - before).toBe(3);
  // A stream tells of it as well, which ends the process if nobody listens.
  for (const each of [process.stdout, process.stderr]) expect(each.emit("error", new Error("full"))).toBe(true);
});
