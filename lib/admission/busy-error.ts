import { StacklessError } from "@/lib/failures";

/** There is no place for a request now. The same request may come again after so many seconds, a whole number. */
export class BusyError extends StacklessError {
  override name = "BusyError";
  constructor(readonly retrySeconds: number) {
    super(`Busy. Try again in ${retrySeconds} ${retrySeconds === 1 ? "second" : "seconds"}.`);
  }
}
