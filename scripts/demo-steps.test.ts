import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

/** Holds its thread up until it is told to go on, as a database does that starts within it. */
const HELD_UP = `
  import { readSync } from "node:fs";
  import { demoStep } from ${JSON.stringify(new URL("./demo-steps.mjs", import.meta.url).href)};
  await demoStep("making data", async () => void readSync(0, Buffer.alloc(1)));
  await demoStep("starting", () => Promise.reject(new Error("no"))).catch(() => {});`;

test("a blocked step of the demo keeps reporting and then says its duration", async () => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", HELD_UP], {
    stdio: ["pipe", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (chunk) => (text += chunk));
  await expect.poll(() => text.match(/making data, \d+ s$/gm)?.length, { timeout: 60_000 }).toBe(2);
  child.stdin.end("\n");
  await once(child, "close");
  const [begun, ...goingOn] = text.split("\n").slice(0, -1);
  expect(begun).toBe("4 of 5: making data …");
  expect(goingOn.pop()).toMatch(/^5 of 5: starting: stopped after \d+ s$/);
  expect(goingOn.pop()).toBe("5 of 5: starting …");
  expect(goingOn.pop()).toMatch(/^4 of 5: making data: done after \d+ s$/);
  for (const line of goingOn) expect(line).toMatch(/^4 of 5: making data, \d+ s$/);
}, 90_000);
