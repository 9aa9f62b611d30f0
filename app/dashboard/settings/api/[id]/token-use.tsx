import { Details } from "@/app/ui/details";
import { Ip } from "@/app/ui/ip";
import { Time } from "@/app/ui/time";
import type { TokenRecord } from "@/lib/tokens/management";
import { LastUse, Refusals } from "../list/last-use";
import { NetworkList } from "../networks/network-list";

/** What the list says of the token's use, in the same words, and where it may be used. */
export function TokenUse({ token, now }: { token: TokenRecord; now: Date }) {
  const { firstUsedAt, firstUsedIp, refusedCount, networks } = token;
  return (
    <Details
      rows={[
        [
          "First used",
          firstUsedAt && (
            <>
              <Time at={firstUsedAt} now={now} />
              <span className="hint block breaks">{firstUsedIp && <Ip ip={firstUsedIp} />}</span>
            </>
          ),
        ],
        ["Last used", <LastUse key="used" token={token} now={now} />],
        ["Refused", refusedCount > 0 && <Refusals token={token} now={now} />],
        ["Only from", networks.length > 0 && <NetworkList networks={networks} />],
      ]}
    />
  );
}
