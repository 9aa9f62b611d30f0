import { expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { runOnTerminal } from "@/e2e/support/run-on-terminal";

const STEPS = `
  import { demoStep, say } from "./scripts/demo-steps.mjs";
  import { setTimeout as wait } from "node:timers/promises";
  await Promise.all([
    demoStep("building", () => wait(5200)),
    demoStep("making data", () => wait(1500)).then(() => say("A line of its own.")),
  ]);
  await demoStep("starting", () => Promise.reject(new Error())).catch(() => {});`;

// `demo.spec.ts` and scripts/demo-steps.test.ts see steps elsewhere than on a terminal.
test("a lasting step of the demo moves one line, never wider than its terminal", {
  tag: "@waits",
}, async () => {
  needs("python3");
  const narrow = ["sh", "-c", 'stty cols 30; exec "$@"', "sh"];
  const { output } = await runOnTerminal([...narrow, process.execPath, "--input-type=module", "-e", STEPS]);
  const lines = output.split(/\r?\n|\r/).map((line) => line.replaceAll("\u001b[K", ""));
  const expected = ["2 of 5: building, 0 s", "2 of 5: building, 0 s; 4 of 5", "2 of 5: building, 4 s"];
  const ends = ["4 of 5: making data: done after 1 s", "A line of its own.", "2 of 5: building: done after 5 s"];
  // A busy machine may be seconds late.
  const asExpected = (line: string) => new RegExp(`^${line.replace(/([145]) s$/, "[$1-9] s")}$`);
  for (const line of [...expected, ...ends, "5 of 5: starting: stopped after 0 s"]) {
    expect(lines).toContainEqual(expect.stringMatching(asExpected(line)));
  }
  expect(lines.filter((line) => line.includes(", ")).every((line) => line.length < 30)).toBe(true);
});
