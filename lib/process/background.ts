import { perProcess } from "@/lib/process/per-process.mjs";
import { logRepeated } from "@/lib/process/repeated.mjs";

type WaitUntil = (promise: Promise<void>) => void;
type PlatformContext = { get?: () => { waitUntil?: WaitUntil } | undefined };

/** Where a hosting platform keeps a request alive after its response, by Next's convention. */
const PLATFORM_CONTEXT = Symbol.for("@next/request-context");

const running = perProcess("background", () => new Set<Promise<void>>());

/** Starts work that no response waits for. A failure is only logged. */
export function runInBackground(what: string, task: () => Promise<unknown>): void {
  const promise: Promise<void> = Promise.resolve()
    .then(task)
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

/** Sleeps within background work. Resolves early with false when the process is shutting down. */
export async function pause(ms: number): Promise<boolean> {
  if (!pauses.isEnding) {
    await new Promise<void>((resolve) => {
      const wake = () => {
        pauses.wakers.delete(wake);
        clearTimeout(timer);
        resolve();
      };
      // A sleeping task must not keep the process running.
      const timer = setTimeout(wake, ms).unref();
      pauses.wakers.add(wake);
    });
  }
  return !pauses.isEnding;
}

/** Resolves when no background work is left. The server calls it before the process ends. */
export async function drainBackground(): Promise<void> {
  pauses.isEnding = true;
  for (const wake of pauses.wakers) wake();
  while (running.size > 0) await Promise.all(running);
}

function platformContext(): PlatformContext | undefined {
  return (globalThis as Record<symbol, PlatformContext | undefined>)[PLATFORM_CONTEXT];
}
