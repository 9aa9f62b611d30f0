import { Details } from "@/app/ui/details";
import type { TokenRecord } from "@/lib/tokens/management";
import { LastUse, Refusals } from "../list/last-use";

/** What the list says of the token's use, in the same words. */
export function TokenUse({ token, now }: { token: TokenRecord; now: Date }) {
  return (
    <Details
      rows={[
        ["Last used", <LastUse key="used" token={token} now={now} />],
        ...(token.refusedCount > 0
          ? [["Since it ended", <Refusals key="refused" token={token} now={now} />] as const]
          : []),
      ]}
    />
  );
}
