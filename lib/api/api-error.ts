import { StacklessError } from "@/lib/failures";

/** An answer that is not a success: its status, its public message, and what goes into headers. */
export class ApiError extends StacklessError {
  override name = "ApiError";
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 410 | 413 | 415 | 429 | 500 | 503,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}
