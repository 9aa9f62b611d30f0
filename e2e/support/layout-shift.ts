import type { Page } from "playwright/test";
import { SECOND } from "@/lib/format/time";

/** Smaller shifts are invisible. Web Vitals rate ten times this value as good. */
export const INVISIBLE = 0.01;

/** Times are milliseconds since the page began to load. */
type Shift = { startTime: number; value: number; hadRecentInput: boolean };

/** Records the layout shifts of every page that is opened from now on. */
export async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shift[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & Shift)[]) {
        const { startTime, value, hadRecentInput } = entry;
        shifts.push({ startTime, value, hadRecentInput });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/** The layout shifts since the page began to load, those of the last frame as well. */
export async function listShifts(page: Page): Promise<Shift[]> {
  return page.evaluate(async () => {
    await document.fonts.ready;
    // A shift is reported after the frame in which it happened.
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    return (globalThis as unknown as { shifts: Shift[] }).shifts;
  });
}

/**
 * How far a page has moved while it loaded. After ten seconds its times move on ("12 seconds ago"), after twenty it shows what
 * has changed since: on a busy machine both come while a test still waits for the network.
 */
export function sumWhileLoading(shifts: readonly Shift[]): number {
  return sumOf(shifts.filter(({ startTime }) => startTime < 10 * SECOND));
}

/** How far a page has moved. */
export function sumOf(shifts: readonly Shift[]): number {
  return shifts.reduce((sum, { value }) => sum + value, 0);
}
