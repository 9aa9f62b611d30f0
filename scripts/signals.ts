/** Resolves at the first Ctrl-C or SIGTERM. Further ones change nothing: stopping is under way. */
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => resolve());
  });
}
