import { TOKEN_PAGE } from "@/app/paths";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Time } from "@/app/ui/time";
import { dateText, untilText } from "@/lib/relative-time";
import { DAY } from "@/lib/time";
import type { NewNetwork } from "@/lib/tokens/activity";
import { endsSoon } from "@/lib/tokens/expiry";
import { endOf, type TokenLists, type TokenRecord } from "@/lib/tokens/management";
import styles from "./notices.module.css";
import { programName } from "./program-name";

/** A dead token that was tried this recently is still in some program. */
const STILL_TRIED = DAY;
/** Of each kind; the lists below show the rest. */
const MAX_OF_A_KIND = 5;

type Props = { lists: TokenLists; newNetworks: readonly NewNetwork[]; now: Date };

/** What an owner should look at: dead tokens still tried, tokens about to end, and use from a network never seen before. */
export function Notices({ lists: { active, ended }, newNetworks, now }: Props) {
  const tried = ended.filter(({ lastRefusedAt }) => lastRefusedAt && Number(now) - Number(lastRefusedAt) < STILL_TRIED);
  const ending = active.filter((token) => token.replacedById === null && endsSoon(token, now));
  const lines = [
    ...tried.slice(0, MAX_OF_A_KIND).map((token) => <StillTried key={token.id} token={token} now={now} />),
    ...ending.slice(0, MAX_OF_A_KIND).map((token) => <EndsSoon key={token.id} token={token} now={now} />),
    ...newNetworks.slice(0, MAX_OF_A_KIND).map((news) => {
      const token = active.find(({ id }) => id === news.tokenId);
      return token && <NewPlace key={token.id} token={token} news={news} now={now} />;
    }),
  ];
  if (lines.length === 0) return null;
  return (
    <section className={styles.notices} aria-labelledby="notices">
      <h2 id="notices" className={styles.title}>
        Worth a look
      </h2>
      <ul className={styles.list}>{lines}</ul>
    </section>
  );
}

function StillTried({ token, now }: { token: TokenRecord; now: Date }) {
  const end = endOf(token);
  const program = programName(token.lastRefusedAgent);
  return (
    <li>
      <Name token={token} /> {token.revokedAt ? "was revoked" : "expired"} {end && <Time at={end} now={now} />} and is
      still tried: last {token.lastRefusedAt && <Time at={token.lastRefusedAt} now={now} />}
      {token.lastRefusedIp && ` from ${token.lastRefusedIp}`}
      {program && ` (${program})`}.
    </li>
  );
}

function EndsSoon({ token, now }: { token: TokenRecord; now: Date }) {
  if (!token.expiresAt) return null;
  return (
    <li>
      <Name token={token} /> ends {untilText(token.expiresAt, now)}, on {dateText(token.expiresAt)}. Replace it in time.
    </li>
  );
}

function NewPlace({ token, news, now }: { token: TokenRecord; news: NewNetwork; now: Date }) {
  const program = programName(news.agent);
  return (
    <li>
      <Name token={token} /> was used from a new network <Time at={news.firstSeenAt} now={now} />: {news.network}
      {program && ` (${program})`}. If that was not you, revoke it.
    </li>
  );
}

function Name({ token }: { token: TokenRecord }) {
  return (
    <>
      <a className="inline-link" href={`${TOKEN_PAGE}/${token.id}`}>
        <strong>{token.name}</strong>
      </a>{" "}
      (<Fingerprint hint={token.hint} />)
    </>
  );
}
