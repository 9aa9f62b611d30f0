/** Whether and when somebody asked this process to stop. */
export type StopSignal = { isGiven(): boolean; given: Promise<void> };

/** Listens for Ctrl-C and SIGTERM. Further ones change nothing: stopping is under way. */
export function listenForStop(): StopSignal {
  let isGiven = false;
  const given = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        isGiven = true;
        resolve();
      });
    }
  });
  return { isGiven: () => isGiven, given };
}
