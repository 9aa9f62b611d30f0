import { vi } from "vitest";

/** Ends the time that a test moves. What waits by it, such as work in the background, goes on by the machine's. */
export function useRealTimers(): void {
  if (!vi.isFakeTimers()) return;
  // Each is called before what waited for it goes on, which then waits anew by real timers.
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
}
