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

/** Resolves when no background work is left. The server process, which bundles nothing, calls it by its name. */
const drain = async (): Promise<void> => {
  while (running.size > 0) await Promise.all(running);
};
perProcess("background-drain", () => drain);

function platformContext(): PlatformContext | undefined {
  return (globalThis as Record<symbol, PlatformContext | undefined>)[PLATFORM_CONTEXT];
}
