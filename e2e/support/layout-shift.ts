import type { Page } from "playwright/test";
import { SECOND } from "@/lib/format/time";

/** Smaller shifts are invisible. Web Vitals rate ten times this value as good. */
export const INVISIBLE = 0.01;

/** Times are milliseconds since the page began to load. */
type Shift = { startTime: number; value: number; hadRecentInput: boolean; isOfHeader: boolean };
type Entry = PerformanceEntry & Shift & { sources: readonly { node: Node | null }[] };

/** Records the layout shifts of every page that is opened from now on. */
export async function recordShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shift[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const { startTime, value, hadRecentInput, sources } of list.getEntries() as Entry[]) {
        const isOfHeader = sources.every(({ node }) => node?.parentElement?.closest("header"));
        shifts.push({ startTime, value, hadRecentInput, isOfHeader });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
}

/**
 * The layout shifts since the page began to load, those of the last frame as well. Without those of the header before all of
 * the page was parsed: a busy browser draws the parts of it that it has read.
 */
export async function listShifts(page: Page): Promise<Shift[]> {
  return page.evaluate(async () => {
    await document.fonts.ready;
    // A shift is reported after the frame in which it happened.
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    await new Promise((resolve) => setTimeout(resolve));
    const [load] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const { shifts } = globalThis as unknown as { shifts: Shift[] };
    return shifts.filter(({ startTime, isOfHeader }) => !isOfHeader || startTime > (load?.domInteractive ?? 0));
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
