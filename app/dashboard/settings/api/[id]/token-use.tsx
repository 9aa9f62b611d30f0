import { Details } from "@/app/ui/details";
import { Ip } from "@/app/ui/ip";
import { Ips } from "@/app/ui/ips";
import { Section } from "@/app/ui/section";
import { Time } from "@/app/ui/time";
import type { DayOfUse, Visitors } from "@/lib/tokens/activity";
import type { TokenEvent } from "@/lib/tokens/events/token-events";
import type { TokenRecord } from "@/lib/tokens/management";
import { LastUse, Refusals } from "../list/last-use";
import { NewNetworkOf } from "../list/notices";
import { DayChart } from "./day-chart";
import { VisitorTable } from "./visitor-table";

type Props = {
  token: TokenRecord;
  day: DayOfUse | undefined;
  visitors: Visitors;
  /** That it was used from a new network. */
  newNetwork: TokenEvent | undefined;
  now: Date;
};

/** What the list says of a token's use, in the same words, from where it was used, and its last day. */
export function TokenUse({ token, day, visitors: { used, refused }, newNetwork, now }: Props) {
  const { firstUsedAt, firstUsedIp, lastUsedAt, refusedCount, networks } = token;
  return (
    <>
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
          ["Only from", networks.length > 0 && <Ips ips={networks} />],
        ]}
      />
      <Section id="used-from" title="Used from">
        {newNetwork && <NewNetworkOf token={token} event={newNetwork} now={now} />}
        {used.length > 0 ? (
          <VisitorTable labelledBy="used-from" visitors={used} hasRequests now={now} />
        ) : (
          <p className="soft">{lastUsedAt ? "Its ip was not recorded." : "It was never used."}</p>
        )}
      </Section>
      {refused.length > 0 && (
        <Section id="refused-from" title="Refused from">
          <VisitorTable labelledBy="refused-from" visitors={refused} now={now} />
        </Section>
      )}
      <Section id="day" title="Requests in the last 24 hours">
        {day && <DayChart day={day} />}
      </Section>
    </>
  );
}
