import { From, Ip } from "@/app/ui/ip";
import { Name } from "@/app/ui/name";
import { DateOf, Time, Until } from "@/app/ui/time";
import { tokenPath } from "@/lib/page-paths";
import type { TokenEventKind } from "@/lib/tokens/events/kinds";
import { endsSoon, type NewNetwork, newNetworksIn, type TokenEvent } from "@/lib/tokens/events/token-events";
import { endOf, type TokenLists, type TokenRecord } from "@/lib/tokens/management";
import { TokenName } from "../token-name";
import { NewsActions } from "./news-actions";
import styles from "./notices.module.css";
import { programName } from "./program-name";

type Props = { lists: TokenLists; news: readonly TokenEvent[]; now: Date };
type GroupProps = { tokens: readonly TokenRecord[]; now: Date };
/** A token that was refused, and the event of that. */
type Refused = { token: TokenRecord; event: TokenEvent };
type RefusedProps = { refused: readonly Refused[]; now: Date };
/** The same of one token, on its own page. */
export function NewNetworkOf({ token, seen, now }: { token: TokenRecord; seen: readonly NewNetwork[]; now: Date }) {
  return (
    <ul className={`stack tight ${styles.notices}`}>
      <NewNetworks seen={seen.map((network) => ({ token, network }))} now={now} />
    </ul>
  );
}

type SeenToken = { token: TokenRecord; network: NewNetwork };

/** What needs attention: tokens tried after their end or outside their networks, about to end, used from a new network. */
export function Notices({ lists: { active, ended }, news, now }: Props) {
  const refused = (tokens: readonly TokenRecord[], kind: TokenEventKind): Refused[] =>
    tokens.flatMap((token) => {
      const event = news.findLast(({ tokenId, ...event }) => tokenId === token.id && event.kind === kind);
      return event ? [{ token, event }] : [];
    });
  const tried = refused(ended, "refused_after_end");
  const elsewhere = refused(active, "refused_elsewhere");
  const ending = active.filter((token) => token.replacedById === null && endsSoon(token.id, news));
  const seen = newNetworksIn(news).flatMap((network) => {
    const token = active.find(({ id }) => id === network.tokenId);
    return token ? [{ token, network }] : [];
  });
  if (tried.length + elsewhere.length + ending.length + seen.length === 0) return null;
  return (
    <section className={`stack tight ${styles.notices}`} aria-labelledby="notices">
      <h2 id="notices" className={styles.title}>
        Needs attention
      </h2>
      <ul className="stack tight">
        {tried.length > 0 && <StillTried refused={tried} now={now} />}
        {elsewhere.length > 0 && <TriedElsewhere refused={elsewhere} now={now} />}
        {ending.length > 0 && <EndSoon tokens={ending} now={now} />}
        {seen.length > 0 && <NewNetworks seen={seen} now={now} />}
      </ul>
    </section>
  );
}

function StillTried({ refused, now }: RefusedProps) {
  const [first, ...others] = refused;
  const tokens = refused.map(({ token }) => token);
  if (!first || others.length > 0) {
    return (
      <li>
        {tokens.length} ended tokens are still tried: <Names tokens={tokens} />. Give their programs a new token.
      </li>
    );
  }
  const { token, event } = first;
  const end = endOf(token);
  return (
    <li>
      <TokenName token={token} isLink /> {token.revokedAt ? "was revoked" : "expired"}{" "}
      {end && <Time at={end} now={now} />} and is still tried: last <LastRefusal event={event} now={now} />.
    </li>
  );
}

function TriedElsewhere({ refused, now }: RefusedProps) {
  const [first, ...others] = refused;
  const tokens = refused.map(({ token }) => token);
  if (!first || others.length > 0) {
    return (
      <li>
        {tokens.length} tokens were refused outside their networks: <Names tokens={tokens} fragment="#networks" />. Add
        the networks of your programs, and replace tokens that strangers have.
      </li>
    );
  }
  const { token, event } = first;
  return (
    <li className={`row spread ${styles.line}`}>
      <span>
        <TokenName token={token} isLink /> was refused outside its networks: last{" "}
        <LastRefusal event={event} now={now} />.
      </span>
      <a className={styles.action} href={`${tokenPath(token.id)}#networks`}>
        Change networks
        <span className="visually-hidden">
          {" "}
          of <Name>{token.name}</Name>
        </span>
      </a>
    </li>
  );
}

function LastRefusal({ event: { endedAt, facts }, now }: { event: TokenEvent; now: Date }) {
  return (
    <>
      {endedAt && <Time at={endedAt} now={now} />}
      <From ip={facts.ip} program={programName(facts.agent ?? null)} />
    </>
  );
}

function EndSoon({ tokens, now }: GroupProps) {
  const [token, ...others] = tokens;
  if (!token || others.length > 0) {
    return (
      <li>
        {tokens.length} tokens end within two weeks: <Names tokens={tokens} fragment="#replace" />. Replace those that
        programs still use.
      </li>
    );
  }
  return (
    <li className={`row spread ${styles.line}`}>
      <span>
        <TokenName token={token} isLink /> ends{" "}
        {token.expiresAt && (
          <>
            <Until at={token.expiresAt} now={now} />, on <DateOf at={token.expiresAt} />
          </>
        )}
        .
      </span>
      <a className={styles.action} href={`${tokenPath(token.id)}#replace`}>
        Replace
        <span className="visually-hidden">
          {" "}
          <Name>{token.name}</Name>
        </span>
      </a>
    </li>
  );
}

function NewNetworks({ seen, now }: { seen: readonly SeenToken[]; now: Date }) {
  const [first, ...others] = seen;
  const [tokens, networks] = [seen.map(({ token }) => token), seen.map(({ network }) => network)];
  if (!first || others.length > 0) {
    return (
      <li className={`row spread ${styles.line}`}>
        <span>
          {seen.length} tokens were used from a new network: <Names tokens={seen.map(({ token }) => token)} />. Revoke
          those that you did not use there.
        </span>
        <NewsActions tokens={tokens} seen={networks} />
      </li>
    );
  }
  const { token, network } = first;
  const program = programName(network.agent);
  return (
    <li className={`row spread ${styles.line}`}>
      <span>
        <TokenName token={token} isLink /> was used from a new network <Time at={network.firstSeenAt} now={now} />:{" "}
        <Ip ip={network.network} />
        {program && ` (${program})`}.
      </span>
      <NewsActions tokens={tokens} seen={networks} />
    </li>
  );
}

/** Names every token that the notice counts. */
function Names({ tokens, fragment = "" }: { tokens: readonly TokenRecord[]; fragment?: string }) {
  return tokens.map((token, index) => (
    <span key={token.id}>
      {index > 0 && (index === tokens.length - 1 ? " and " : ", ")}
      <a className="inline-link" href={`${tokenPath(token.id)}${fragment}`}>
        <Name>{token.name}</Name>
      </a>
    </span>
  ));
}
