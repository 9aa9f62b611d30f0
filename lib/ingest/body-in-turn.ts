import type { Payer, Purpose } from "@/lib/admission/admission";
import { HeldBytes, readInTurn } from "@/lib/admission/bodies";
import { PURPOSES, requireRoomToWait } from "@/lib/admission/shares";
import { ApiError } from "@/lib/api/api-error";
import { InvalidInputError } from "@/lib/failures";
import { receive } from "./bounded-body";
import type { Quota } from "./quota";

/**
 * Who sends a body. The bytes are its payer's; `turn` is whose turn it is read and stored in, by default the payer's. `own` tells
 * the senders of one turn apart.
 */
export type Sender = { payer: Payer; turn?: Payer; own: string; quota: Quota };

/** How an endpoint takes bodies. `purpose` is what storing them waits for. */
export type BodyRules = {
  /** @throws ApiError 415 */
  requireType(headers: Headers): void;
  maxBytes(headers: Headers): number;
  /** Tells the sender of a larger body what to do. */
  hint?: string;
  purpose: Purpose;
};

/**
 * Receives a body, has it read in the turn of its sender, and has its content stored. `read` is given the bytes and what
 * they hold, and must not wait. A report counts when it is refused for its body; otherwise `store` counts it once it has
 * its place, so that a 503 for want of one costs no quota. Checks in this order: 429, 415, 503, 413, 408, 400.
 * @throws ApiError, BusyError, and whatever `read` and `store` throw.
 */
export async function withBody<Read, Result>(
  request: Request,
  { payer, turn = payer, own, quota }: Sender,
  { requireType, maxBytes, hint, purpose }: BodyRules,
  read: (bytes: Buffer, held: HeldBytes) => Read,
  store: (read: Read) => Promise<Result>,
): Promise<Result> {
  quota.refuseUsedUp();
  requireType(request.headers);
  for (const needed of [PURPOSES.reading, purpose]) await requireRoomToWait(needed, turn);
  const held = new HeldBytes(payer);
  try {
    const told = await countingRefusals(quota, async () => {
      const pages = await receive(request, held, maxBytes(request.headers), hint);
      return readInTurn(turn, own, () => {
        // Others of the same key were read meanwhile.
        quota.refuseUsedUp();
        return read(pages.whole(), held);
      });
    });
    return await store(told);
  } finally {
    held.release();
  }
}

async function countingRefusals<Read>(quota: Quota, task: () => Promise<Read>): Promise<Read> {
  try {
    return await task();
  } catch (error) {
    const isForBody = error instanceof InvalidInputError || (error instanceof ApiError && error.status !== 429);
    if (isForBody) await quota.count();
    throw error;
  }
}
