import { SECOND } from "@/lib/time";

/** A store of the limit that needs longer than this to connect is left to connect while requests are answered. */
const CONNECT_WAIT = 2 * SECOND;

/** Makes the process ready for its first request. A wrong variable ends it here instead of failing requests later. */
export async function startUp(): Promise<void> {
  try {
    await import("@/lib/env");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  const { connectRateLimits } = await import("@/lib/rate-limit");
  await connectRateLimits(CONNECT_WAIT);
}
