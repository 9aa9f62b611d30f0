import { ApiError } from "@/lib/api/api-error";
import { InvalidInputError } from "@/lib/failures";
import { type Asker, fair } from "@/lib/process/fair";
import type { Quota } from "./quota";
import { readBody, SMALL } from "./read-body";

/** Who sends a body: `asker` waits for itself, `quota` is counted. */
export type Sender = { asker: Asker; quota: Quota };

/** How an endpoint takes bodies. */
export type BodyRules = {
  /** @throws ApiError 415 */
  requireType(headers: Headers): void;
  maxBytes(headers: Headers): number;
  /** Tells the sender of a larger body what to do. */
  hint?: string;
};

/**
 * Receives a body, reads it and has its content stored. `read` must not wait. A report counts when it is refused for its
 * body; otherwise `store` counts it once it has its place, so that a 503 costs no quota. Checks in this order: 429, 415,
 * 413, 400, 503. @throws ApiError, BusyError, and whatever `read` and `store` throw.
 */
export async function withBody<Read, Result>(
  request: Request,
  { asker, quota }: Sender,
  { requireType, maxBytes, hint }: BodyRules,
  read: (bytes: Buffer) => Read,
  store: (read: Read) => Promise<Result>,
): Promise<Result> {
  quota.refuseUsedUp();
  const told = await countingRefusals(quota, async () => {
    requireType(request.headers);
    const bytes = await readBody(request, asker, maxBytes(request.headers), hint);
    const readNow = async () => {
      // Others of the same key were read meanwhile.
      quota.refuseUsedUp();
      return read(bytes);
    };
    // What takes long to read keeps the process from everybody else, and large bodies wait in a short line: each is held meanwhile.
    if (bytes.length > SMALL) return fair("heavy", asker, readNow);
    return request.headers.has("content-encoding") ? fair("unpacking", asker, readNow) : readNow();
  });
  return store(told);
}

async function countingRefusals<Read>(quota: Quota, task: () => Promise<Read>): Promise<Read> {
  try {
    return await task();
  } catch (error) {
    if (isForBody(error)) await quota.count();
    throw error;
  }
}

/** Whether the sender has to change what it sends. */
export function isForBody(error: unknown): error is ApiError | InvalidInputError {
  return error instanceof InvalidInputError || (error instanceof ApiError && ![401, 429].includes(error.status));
}
