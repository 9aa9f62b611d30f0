import { From, Ip } from "@/app/ui/ip";
import { Name, UnseenName } from "@/app/ui/name";
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
/** A token that was refused, and the event of that. */
type Refused = { token: TokenRecord; event: TokenEvent };

/** The same of one token, on its own page. */
export function NewNetworkOf({ token, seen, now }: { token: TokenRecord; seen: readonly NewNetwork[]; now: Date }) {
  return (
    <ul className={`stack tight inset breaks warning ${styles.notices}`}>
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
    <section className={`stack tight inset breaks warning ${styles.notices}`} aria-labelledby="notices">
      <h2 id="notices">Needs attention</h2>
      <ul className="stack tight">
        <Line
          tokens={tried.map(({ token }) => token)}
          one={tried[0] && <StillTried {...tried[0]} now={now} />}
          several={["ended tokens are still tried", "Give their programs a new token."]}
        />
        <Line
          tokens={elsewhere.map(({ token }) => token)}
          one={
            elsewhere[0] && (
              <>
                was refused outside its networks: last <LastRefusal {...elsewhere[0]} now={now} />
              </>
            )
          }
          several={[
            "tokens were refused outside their networks",
            "Add the networks of your programs, and replace tokens that strangers have.",
          ]}
          part="networks"
          action="Change networks of"
        />
        <Line
          tokens={ending}
          one={
            ending[0]?.expiresAt && (
              <>
                ends <Until at={ending[0].expiresAt} now={now} />, on <DateOf at={ending[0].expiresAt} />
              </>
            )
          }
          several={["tokens end within two weeks", "Replace those that programs still use."]}
          part="replace"
          action="Replace"
        />
        <NewNetworks seen={seen} now={now} />
      </ul>
    </section>
  );
}

type LineProps = {
  tokens: readonly TokenRecord[];
  /** What is said of one token after its name. */
  one: React.ReactNode;
  /** What is said of several before their names, and after them. */
  several: readonly [before: string, after: string];
  /** The part of a token's page that the names of several lead to, and `action` of one. */
  part?: "networks" | "replace";
  action?: string;
  /** What can be done, in the place of `action`. */
  children?: React.ReactNode;
};

/** The same of one token or of several, in a line. */
function Line({ tokens, one, several: [before, after], part, action, children }: LineProps) {
  const [token, ...others] = tokens;
  if (!token) return null;
  const isOne = others.length === 0;
  return (
    <li className={`row spread ${styles.line}`}>
      <span>
        {isOne ? (
          <>
            <TokenName token={token} isLink /> {one}.
          </>
        ) : (
          <>
            {tokens.length} {before}: <Names tokens={tokens} part={part} />. {after}
          </>
        )}
      </span>
      {isOne && action && (
        <a className="target medium" href={`${tokenPath(token.id)}#${part}`}>
          {action} <UnseenName>{token.name}</UnseenName>
        </a>
      )}
      {children}
    </li>
  );
}

/** When and by whom an ended token was tried. */
function StillTried({ token, event, now }: Refused & { now: Date }) {
  const end = endOf(token);
  return (
    <>
      {token.revokedAt ? "was revoked" : "expired"} {end && <Time at={end} now={now} />} and is still tried: last{" "}
      <LastRefusal event={event} now={now} />
    </>
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

function NewNetworks({ seen, now }: { seen: readonly SeenToken[]; now: Date }) {
  const tokens = seen.map(({ token }) => token);
  const networks = seen.map(({ network }) => network);
  const [network] = networks;
  const program = network && programName(network.agent);
  return (
    <Line
      tokens={tokens}
      one={
        network && (
          <>
            was used from a new network <Time at={network.firstSeenAt} now={now} />: <Ip ip={network.network} />
            {program && ` (${program})`}
          </>
        )
      }
      several={["tokens were used from a new network", "Revoke those that you did not use there."]}
    >
      <NewsActions tokens={tokens} seen={networks} />
    </Line>
  );
}

/** Names every token that the notice counts. */
function Names({ tokens, part }: { tokens: readonly TokenRecord[]; part: LineProps["part"] | undefined }) {
  return tokens.map((token, index) => (
    <span key={token.id}>
      {index > 0 && (index === tokens.length - 1 ? " and " : ", ")}
      <a className="inline-link" href={tokenPath(token.id) + (part ? `#${part}` : "")}>
        <Name>{token.name}</Name>
      </a>
    </span>
  ));
}
