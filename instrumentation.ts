/** Runs once, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  try {
    // A wrong variable stops the start instead of failing requests later.
    await import("@/lib/env");
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  }
  const { connectRateLimits } = await import("@/lib/rate-limit");
  await connectRateLimits(2000);
}
