import { rateLimitExceeded } from "@/lib/api/errors";
import { SECOND } from "@/lib/format/time";
import { type Decision, limit, type Policy, peek } from "@/lib/rate-limit";

/** How many reports a sender may still deliver. */
export type Quota = {
  /** Counts nothing. @throws ApiError 429 when this process knows already that the quota is used up. */
  refuseUsedUp(): void;
  /** Counts one. @throws ApiError 429 */
  count(): Promise<void>;
};

export function quotaOf(policy: Policy, key: string): Quota {
  return {
    refuseUsedUp: () => requireAccepted(peek(policy, key)),
    count: async () => requireAccepted(await limit(policy, key)),
  };
}

function requireAccepted({ accepted, waitMs }: Decision): void {
  if (!accepted) throw rateLimitExceeded(Math.max(1, Math.ceil(waitMs / SECOND)));
}
