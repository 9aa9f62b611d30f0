import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFaketime } from "./programs.mjs";

/** A clock on the wall for a process of a test's own, by libfaketime: its timers are those of the machine. */
export function ownClock() {
  const dir = mkdtempSync(join(tmpdir(), "console-clock-"));
  // PostgreSQL runs as a user of its own.
  chmodSync(dir, 0o755);
  const file = join(dir, "clock");
  const setAhead = (seconds: number) => writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}`);
  setAhead(0);
  return {
    /** What the process needs in its environment. */
    variables: {
      LD_PRELOAD: findFaketime() ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      // In seconds. Without it each look at the clock reads the file, and a console looks at it all the time.
      FAKETIME_CACHE_DURATION: "1",
      DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    },
    /** Steps it. Seconds before the machine's are negative. */
    setAhead,
    remove: () => rmSync(dir, { recursive: true }),
  };
}
