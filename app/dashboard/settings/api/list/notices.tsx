import { Fingerprint } from "@/app/ui/fingerprint";
import { Ip } from "@/app/ui/ip";
import { DateOf, Time, Until } from "@/app/ui/time";
import { tokenPath } from "@/lib/page-paths";
import { DAY } from "@/lib/time";
import type { NewNetwork } from "@/lib/tokens/activity";
import { endsSoon } from "@/lib/tokens/expiry";
import { endOf, type TokenLists, type TokenRecord } from "@/lib/tokens/management";
import { NewsActions } from "./news-actions";
import styles from "./notices.module.css";
import { programName } from "./program-name";

/** A token that was refused this recently is still in some program. */
const STILL_TRIED = DAY;

type Props = { lists: TokenLists; newNetworks: readonly NewNetwork[]; now: Date };
type GroupProps = { tokens: readonly TokenRecord[]; now: Date };
/** The same of one token, on its own page. */
export function NewNetworkOf({ token, seen, now }: { token: TokenRecord; seen: readonly NewNetwork[]; now: Date }) {
  return (
    <ul className={`${styles.notices} ${styles.list}`}>
      <NewNetworks seen={seen.map((network) => ({ token, network }))} now={now} />
    </ul>
  );
}

type SeenToken = { token: TokenRecord; network: NewNetwork };

/** What needs attention: tokens tried after their end or outside their networks, about to end, used from a new network. */
export function Notices({ lists: { active, ended }, newNetworks, now }: Props) {
  const wasRefused = ({ lastRefusedAt }: TokenRecord) =>
    lastRefusedAt !== null && Number(now) - Number(lastRefusedAt) < STILL_TRIED;
  // A refusal before the end came from outside the networks.
  const tried = ended.filter((token) => wasRefused(token) && Number(token.lastRefusedAt) >= Number(endOf(token)));
  const elsewhere = active.filter(wasRefused);
  const ending = active.filter((token) => token.replacedById === null && endsSoon(token, now));
  const seen = newNetworks.flatMap((network) => {
    const token = active.find(({ id }) => id === network.tokenId);
    return token ? [{ token, network }] : [];
  });
  if (tried.length + elsewhere.length + ending.length + seen.length === 0) return null;
  return (
    <section className={styles.notices} aria-labelledby="notices">
      <h2 id="notices" className={styles.title}>
        Needs attention
      </h2>
      <ul className={styles.list}>
        {tried.length > 0 && <StillTried tokens={tried} now={now} />}
        {elsewhere.length > 0 && <TriedElsewhere tokens={elsewhere} now={now} />}
        {ending.length > 0 && <EndSoon tokens={ending} now={now} />}
        {seen.length > 0 && <NewNetworks seen={seen} now={now} />}
      </ul>
    </section>
  );
}

function StillTried({ tokens, now }: GroupProps) {
  const [token, ...others] = tokens;
  if (!token || others.length > 0) {
    return (
      <li>
        {tokens.length} ended tokens are still tried: <Names tokens={tokens} />. Bring a new token to their programs.
      </li>
    );
  }
  const end = endOf(token);
  return (
    <li>
      <Name token={token} /> {token.revokedAt ? "was revoked" : "expired"} {end && <Time at={end} now={now} />} and is
      still tried: last <LastRefusal token={token} now={now} />.
    </li>
  );
}

function TriedElsewhere({ tokens, now }: GroupProps) {
  const [token, ...others] = tokens;
  if (!token || others.length > 0) {
    return (
      <li>
        {tokens.length} tokens were refused outside their networks: <Names tokens={tokens} fragment="#networks" />. Add
        the networks of your programs, and replace tokens that strangers have.
      </li>
    );
  }
  return (
    <li className={styles.line}>
      <span>
        <Name token={token} /> was refused outside its networks: last <LastRefusal token={token} now={now} />.
      </span>
      <a className={styles.action} href={`${tokenPath(token.id)}#networks`}>
        Change networks<span className="visually-hidden"> of {token.name}</span>
      </a>
    </li>
  );
}

function LastRefusal({
  token: { lastRefusedAt, lastRefusedIp, lastRefusedAgent },
  now,
}: {
  token: TokenRecord;
  now: Date;
}) {
  const program = programName(lastRefusedAgent);
  return (
    <>
      {lastRefusedAt && <Time at={lastRefusedAt} now={now} />}
      {lastRefusedIp && (
        <>
          {" "}
          from <Ip ip={lastRefusedIp} />
        </>
      )}
      {program && ` (${program})`}
    </>
  );
}

function EndSoon({ tokens, now }: GroupProps) {
  const [token, ...others] = tokens;
  if (!token || others.length > 0) {
    return (
      <li>
        {tokens.length} tokens end within a week: <Names tokens={tokens} fragment="#replace" />. Replace those that
        programs still use.
      </li>
    );
  }
  return (
    <li className={styles.line}>
      <span>
        <Name token={token} /> ends{" "}
        {token.expiresAt && (
          <>
            <Until at={token.expiresAt} now={now} />, on <DateOf at={token.expiresAt} />
          </>
        )}
        .
      </span>
      <a className={styles.action} href={`${tokenPath(token.id)}#replace`}>
        Replace<span className="visually-hidden"> {token.name}</span>
      </a>
    </li>
  );
}

function NewNetworks({ seen, now }: { seen: readonly SeenToken[]; now: Date }) {
  const [first, ...others] = seen;
  const [tokens, networks] = [seen.map(({ token }) => token), seen.map(({ network }) => network)];
  if (!first || others.length > 0) {
    return (
      <li className={styles.line}>
        <span>
          {seen.length} tokens were used from a new network: <Names tokens={seen.map(({ token }) => token)} />. Revoke
          those that you did not use there.
        </span>
        <NewsActions tokens={tokens} seen={networks} idPrefix="notice-" />
      </li>
    );
  }
  const { token, network } = first;
  const program = programName(network.agent);
  return (
    <li className={styles.line}>
      <span>
        <Name token={token} /> was used from a new network <Time at={network.firstSeenAt} now={now} />:{" "}
        <Ip ip={network.network} />
        {program && ` (${program})`}.
      </span>
      <NewsActions tokens={tokens} seen={networks} idPrefix="notice-" />
    </li>
  );
}

/** Names every token that the notice counts. */
function Names({ tokens, fragment = "" }: { tokens: readonly TokenRecord[]; fragment?: string }) {
  return tokens.map((token, index) => (
    <span key={token.id}>
      {index > 0 && (index === tokens.length - 1 ? " and " : ", ")}
      <a className="inline-link" href={`${tokenPath(token.id)}${fragment}`}>
        {token.name}
      </a>
    </span>
  ));
}

function Name({ token }: { token: TokenRecord }) {
  return (
    <>
      <a className="inline-link" href={tokenPath(token.id)}>
        <strong>{token.name}</strong>
      </a>{" "}
      (<Fingerprint hint={token.hint} />)
    </>
  );
}
