import { PlainError } from "@/lib/failures";
import { buildIfChanged, DIST_DIRS } from "./build";
import { requireBrowser, runLoadLane } from "./end-to-end";
import { conclude } from "./test-reports";

/** `npm run load`: the tests that need a machine to themselves, one after the other. */
export async function main(args: string[]): Promise<number> {
  if (args.length > 0) throw new PlainError('"npm run load" takes no words; "npm test -- WORD" runs single specs.');
  await requireBrowser();
  await buildIfChanged(DIST_DIRS.test);
  return conclude(await runLoadLane());
}
