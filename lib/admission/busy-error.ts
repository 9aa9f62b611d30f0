import { StacklessError } from "@/lib/failures";

/** The console has no capacity for this request now. It may be repeated after a whole number of seconds. */
export class BusyError extends StacklessError {
  override name = "BusyError";
  constructor(readonly retrySeconds: number) {
    super(`Busy. Try again in ${retrySeconds} ${retrySeconds === 1 ? "second" : "seconds"}.`);
  }
}
