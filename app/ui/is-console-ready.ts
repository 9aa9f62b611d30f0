/**
 * Whether the console answers and has its database, asked for at most `ms` milliseconds. Ask before whatever cannot be
 * aborted: a server action would block those after it, and the router would leave the page.
 */
export async function isConsoleReady(ms: number): Promise<boolean> {
  try {
    return (await fetch("/readyz", { cache: "no-store", signal: AbortSignal.timeout(ms) })).ok;
  } catch {
    return false;
  }
}
