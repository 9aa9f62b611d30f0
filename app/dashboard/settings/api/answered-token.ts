import type { TokenRecord } from "@/lib/tokens/management";

/** What the answer of a form says of a token. Times in epoch milliseconds. */
export type AnsweredToken = ReturnType<typeof answeredToken>;

export function answeredToken({ id, name, hint, networks, endsOnFirstUse, expiresAt, revokedAt }: TokenRecord) {
  const at = (time: Date | null) => time?.getTime() ?? null;
  return { id, name, hint, networks, endsOnFirstUse, expiresAt: at(expiresAt), revokedAt: at(revokedAt) };
}
