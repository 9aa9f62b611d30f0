type Asked = { method: string; path: string; headers?: Record<string, string | string[] | undefined> };

/** Runs once, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { startUp } = await import("@/lib/operations/start-up");
    await startUp();
    // Tests that do not ask for what the console does by itself run beside none of it.
    if (process.env.CONSOLE_JOBS === "off") return;
    const { startSweeping } = await import("@/lib/sweep/schedule");
    startSweeping();
    const { startWatching } = await import("@/lib/servers/events/schedule");
    startWatching();
    const { startNotices } = await import("@/lib/notices/schedule");
    startNotices();
  }
}

/** A page or a form that failed: one line of JSON, like every other fault. Route handlers report their own. */
export async function onRequestError(error: unknown, request: Asked): Promise<void> {
  if (process.env.NEXT_RUNTIME === "nodejs") {
    const { reportPageFault } = await import("@/lib/operations/page-faults");
    reportPageFault(error, request);
  }
}
