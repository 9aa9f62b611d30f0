/**
 * A signal that aborts with `signal` or after `ms` milliseconds, whichever comes first; `end` gives both up. Not
 * AbortSignal.any with AbortSignal.timeout: until Node 24 both may be collected while somebody waits for them, and then they
 * never abort (nodejs/node#57736).
 */
export function deadline(signal: AbortSignal, ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  const timer = setTimeout(abort, ms);
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    },
  };
}
