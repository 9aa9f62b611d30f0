import { SECOND } from "@/lib/format/time";
import { logConsole } from "@/lib/process/console.mjs";
import { tellRefusedStart } from "@/lib/process/refused-start.mjs";

/** A store of the limit that needs longer than this to connect is left to connect while requests are answered. */
const CONNECT_WAIT = 2 * SECOND;

/** Makes the process ready for its first request. A wrong variable ends it here instead of failing requests later. */
export async function startUp(): Promise<void> {
  try {
    await import("@/lib/process/env");
  } catch (error) {
    tellRefusedStart(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
  if (process.env.NODE_ENV === "production") logConsole();
  const { connectRateLimits } = await import("@/lib/rate-limit");
  await connectRateLimits(CONNECT_WAIT);
}
