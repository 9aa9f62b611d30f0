import { expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { runOnTerminal } from "@/e2e/support/run-on-terminal";

const STEPS = `
  import { demoStep } from "./scripts/demo-steps.mjs";
  import { setTimeout as wait } from "node:timers/promises";
  void demoStep("building", () => wait(60_000));
  void demoStep("making data", () => wait(60_000));
  void demoStep("starting", () => wait(100));
  setTimeout(() => process.exit(), 1500);`;

test("lasting steps of the demo share a line of the terminal, ended at exit", async () => {
  needs("python3");
  const narrow = ["sh", "-c", 'stty cols 30; exec "$@"', "sh"];
  const { output } = await runOnTerminal([...narrow, process.execPath, "--input-type=module", "-e", STEPS]);
  const [ended = "", line, ...rest] = output.replaceAll("\u001b[K", "").split(/\r?\n/);
  expect(ended).toMatch(/\r5 of 5: starting: done after \d+ s$/);
  // A line that wraps could not be drawn over.
  const drawn = String(line).split("\r").slice(1);
  expect(drawn.length).toBeGreaterThan(1);
  for (const text of drawn) expect(text).toMatch(/^2 of 5: building, \d+ s; 4 of ?5?$/);
  expect(Math.max(...drawn.map(({ length }) => length))).toBeLessThan(30);
  expect(rest).toEqual([""]);
});
