import type { Fields } from "@/lib/process/log";
import { logRepeated } from "@/lib/process/repeated";

/** So many callers tell two places apart that fail in the same line, such as that of a database client. */
const FRAMES = 8;

/** Logs something that should not have happened, with its stack; again and again from the same line of code, counted. */
export function logFault(event: string, error: unknown, fields: Fields): void {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logRepeated({ level: "error", event, reason: placeOf(stack) }, { ...fields, stack });
}

/** Where it was thrown. Not what it says: that may hold what a stranger sent, different each time. */
function placeOf(stack: string): string {
  return (
    stack
      .match(/^ +at .{1,200}/gm)
      ?.slice(0, FRAMES)
      .join("\n") ?? "nowhere"
  );
}
