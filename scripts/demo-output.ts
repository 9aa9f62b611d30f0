import type { ChildProcess } from "node:child_process";
import { PlainError } from "@/lib/failures";
import { MINUTE } from "@/lib/format/time";

/** The last line of what the demo prints about itself begins with this: it answers from then on. */
export const DEMO_IS_READY = "Ctrl-C stops everything";
const LONGEST_START = 5 * MINUTE;

/** Waits until a demo that was started with its output piped answers. Returns what it printed. @throws PlainError */
export async function waitForDemo(child: ChildProcess): Promise<string> {
  let output = "";
  let timer: NodeJS.Timeout | undefined;
  const found = new Promise<string>((resolve, reject) => {
    timer = setTimeout(() => reject(new PlainError(`The demo did not start in time: ${output}`)), LONGEST_START);
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      if (output.includes(DEMO_IS_READY)) resolve(output);
    });
    child.once("exit", () => reject(new PlainError(`The demo ended: ${output}`)));
  });
  try {
    return await found;
  } finally {
    clearTimeout(timer);
  }
}
