import { format } from "node:util";
import { logRepeated } from "@/lib/process/repeated";

const METHODS = { error: "error", warn: "error", info: "info", log: "info", debug: "info" } as const;
/** As much of a message as is the same each time; what a stranger sent may follow. */
const REASON_LENGTH = 24;

/**
 * From now on, what the framework or a package writes to the console is a line of the log like any other: cut, escaped,
 * without secrets, and counted when it is repeated. Next writes values of anonymous requests there as they came.
 */
export function logConsole(): void {
  for (const method of Object.keys(METHODS) as (keyof typeof METHODS)[]) {
    console[method] = (...values: unknown[]) => {
      // A page that failed is told by `reportPageFault`.
      if (values.some((value) => value instanceof Error && "digest" in value)) return;
      const message = format(...values);
      logRepeated({ level: METHODS[method], event: "message", reason: message.slice(0, REASON_LENGTH) }, { message });
    };
  }
}
