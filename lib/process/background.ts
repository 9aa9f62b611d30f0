import { perProcess } from "@/lib/process/per-process";
import { logRepeated } from "@/lib/process/repeated";

type WaitUntil = (promise: Promise<void>) => void;
type PlatformContext = { get?: () => { waitUntil?: WaitUntil } | undefined };

/** Where a hosting platform keeps a request alive after its response, by Next's convention. */
const PLATFORM_CONTEXT = Symbol.for("@next/request-context");

const running = perProcess("background", () => new Set<Promise<void>>());

/** Starts work that no response waits for. A failure is logged and touches nobody. */
export function runInBackground(what: string, task: () => Promise<unknown>): void {
  const promise: Promise<void> = task()
    .then(() => undefined)
    .catch((error: unknown) =>
      logRepeated({ level: "error", event: "background work failed", reason: what }, { what, reason: String(error) }),
    )
    .finally(() => running.delete(promise));
  running.add(promise);
  platformContext()?.get?.()?.waitUntil?.(promise);
}

type Pauses = { isEnding: boolean; wakers: Set<() => void> };
const pauses = perProcess("background-pauses", (): Pauses => ({ isEnding: false, wakers: new Set() }));

/** A pause within background work, in milliseconds; it is cut short, and false, once the process is about to end. */
export async function pause(ms: number): Promise<boolean> {
  if (!pauses.isEnding) {
    await new Promise<void>((resolve) => {
      const wake = () => {
        pauses.wakers.delete(wake);
        clearTimeout(timer);
        resolve();
      };
      // Waiting alone keeps no process alive.
      const timer = setTimeout(wake, ms).unref();
      pauses.wakers.add(wake);
    });
  }
  return !pauses.isEnding;
}

/** Resolves when no background work is left. The server process, which bundles nothing, calls it by its name. */
const drain = async (): Promise<void> => {
  pauses.isEnding = true;
  for (const wake of pauses.wakers) wake();
  while (running.size > 0) await Promise.all(running);
};
perProcess("background-drain", () => drain);

function platformContext(): PlatformContext | undefined {
  return (globalThis as Record<symbol, PlatformContext | undefined>)[PLATFORM_CONTEXT];
}
