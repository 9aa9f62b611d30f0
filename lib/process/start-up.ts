import { log } from "@/lib/process/log";
import { SECOND } from "@/lib/time";

/** A store of the limit that needs longer than this to connect is left to connect while requests are answered. */
const CONNECT_WAIT = 2 * SECOND;

/** Makes the process ready for its first request. A wrong variable ends it here instead of failing requests later. */
export async function startUp(): Promise<void> {
  try {
    await import("@/lib/process/env");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  const { connectRateLimits } = await import("@/lib/rate-limit");
  await connectRateLimits(CONNECT_WAIT);
}

/** Logs what went wrong while a page or a form was answered, without the query of its address. */
export function reportPageFault(error: unknown, { method, path }: { method: string; path: string }): void {
  log("error", "page failed", {
    method,
    path: path.split("?")[0],
    digest: error instanceof Error && "digest" in error ? String(error.digest) : undefined,
    stack: error instanceof Error ? error.stack : String(error),
  });
}
