/** Whether and when somebody asked this process to stop. */
type StopSignal = {
  isGiven(): boolean;
  given: Promise<void>;
  /** Resolves at Ctrl-C or when the terminal closes, also after SIGTERM. Such a stop skips the drain delay. */
  atOnce: Promise<void>;
};

/** Listens for Ctrl-C and SIGTERM. Further ones cut nothing off. */
export function listenForStop(): StopSignal {
  let isGiven = false;
  const on = (signals: NodeJS.Signals[]) =>
    new Promise<void>((resolve) => {
      for (const signal of signals) {
        process.on(signal, () => {
          isGiven = true;
          resolve();
        });
      }
    });
  const atOnce = on(["SIGINT", "SIGHUP"]);
  return { isGiven: () => isGiven, given: Promise.race([atOnce, on(["SIGTERM"])]), atOnce };
}
