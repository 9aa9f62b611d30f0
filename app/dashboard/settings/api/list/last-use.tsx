import { From, Ip } from "@/app/ui/ip";
import { Time } from "@/app/ui/time";
import { DAY, MINUTE } from "@/lib/format/time";
import type { TokenRecord } from "@/lib/tokens/management";
import { programName } from "./program-name";

/** The list shows the first request for a day, and later only the last one. */
const FIRST_USE_IS_NEWS = DAY;

type Props = { token: TokenRecord; now: Date };

/** When, from where and with which program a token was last used. */
export function LastUse({ token, now }: Props) {
  const { lastUsedAt, lastUsedIp, lastUsedAgent, firstUsedAt, firstUsedIp } = token;
  if (!lastUsedAt) return <span className="soft">Never used</span>;
  const program = programName(lastUsedAgent);
  const isNews = firstUsedAt !== null && now.getTime() - firstUsedAt.getTime() < FIRST_USE_IS_NEWS;
  // While first and last request coincide, one line is enough, and the row keeps its height.
  const isOnlyUse = isNews && lastUsedAt.getTime() - firstUsedAt.getTime() < MINUTE;
  return (
    <>
      {isOnlyUse && "First request received: "}
      <Time at={lastUsedAt} now={now} />
      <span className="hint block breaks" title={lastUsedAgent ?? undefined}>
        {lastUsedIp && <Ip ip={lastUsedIp} />}
        {lastUsedIp && program && " · "}
        {program}
      </span>
      {isNews && !isOnlyUse && (
        <span className="hint block breaks">
          First request received: <Time at={firstUsedAt} now={now} />
          {firstUsedIp && ","}
          <From ip={firstUsedIp} />
        </span>
      )}
    </>
  );
}

/** How often a token was refused, and when and from where last. */
export function Refusals({ token, now }: Props) {
  const { refusedCount, lastRefusedAt, lastRefusedIp } = token;
  if (refusedCount === 0 || !lastRefusedAt) return <span className="soft">Never</span>;
  return (
    <span className="warning tone" title={token.lastRefusedAgent ?? undefined}>
      Refused {refusedCount === 1 ? "once" : `${refusedCount.toLocaleString("en")} times`}, last{" "}
      <Time at={lastRefusedAt} now={now} />
      <From ip={lastRefusedIp} program={programName(token.lastRefusedAgent)} />
    </span>
  );
}
