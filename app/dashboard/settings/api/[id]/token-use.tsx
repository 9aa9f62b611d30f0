import { Details } from "@/app/ui/details";
import type { TokenRecord } from "@/lib/tokens/management";
import { FirstUse, LastUse, Refusals } from "../list/last-use";
import { NetworkList } from "../networks/network-list";

/** What the list says of the token's use, in the same words, and where it may be used. */
export function TokenUse({ token, now }: { token: TokenRecord; now: Date }) {
  return (
    <Details
      rows={[
        ...(token.firstUsedAt ? [["First used", <FirstUse key="first" token={token} now={now} />] as const] : []),
        ["Last used", <LastUse key="used" token={token} now={now} />],
        ...(token.refusedCount > 0 ? [["Refused", <Refusals key="refused" token={token} now={now} />] as const] : []),
        ...(token.networks.length > 0
          ? [["Only from", <NetworkList key="networks" networks={token.networks} />] as const]
          : []),
      ]}
    />
  );
}
