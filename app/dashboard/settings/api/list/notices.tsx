import { From, Ip } from "@/app/ui/ip";
import { Name, UnseenName } from "@/app/ui/name";
import { DateOf, Time, Until } from "@/app/ui/time";
import { tokenPath } from "@/lib/page-paths";
import type { TokenEventKind } from "@/lib/tokens/events/kinds";
import { endsSoon, findNews, type TokenEvent } from "@/lib/tokens/events/token-events";
import { endOf, type TokenLists, type TokenRecord } from "@/lib/tokens/management";
import { TokenName } from "../token-name";
import { NewsActions } from "./news-actions";
import styles from "./notices.module.css";
import { programName } from "./program-name";

/** A token, and what happened to it. */
type Item = { token: TokenRecord; event: TokenEvent };

/** That a token was used from a new network, on its own page. */
export function NewNetworkOf({ now, ...item }: Item & { now: Date }) {
  return (
    <ul className={`stack tight inset breaks warning ${styles.notices}`}>
      <NewNetworks items={[item]} now={now} />
    </ul>
  );
}

type Props = { lists: TokenLists; news: readonly TokenEvent[]; now: Date };

/** What needs attention: tokens tried after their end or outside their networks, about to end, used from a new network. */
export function Notices({ lists: { active, ended }, news, now }: Props) {
  const itemsOf = (tokens: readonly TokenRecord[], kind: TokenEventKind): Item[] =>
    tokens.flatMap((token) => {
      const event = findNews(news, token.id, kind);
      return event ? [{ token, event }] : [];
    });
  const tried = itemsOf(ended, "refused_after_end");
  const elsewhere = itemsOf(active, "refused_elsewhere");
  const ending = active.filter(
    ({ id, replacedById }) => endsSoon(id, news) && !active.some((other) => other.id === replacedById),
  );
  const seen = itemsOf(active, "new_network");
  if (tried.length + elsewhere.length + ending.length + seen.length === 0) return null;
  return (
    <section className={`stack tight inset breaks warning ${styles.notices}`} aria-labelledby="notices">
      <h2 id="notices">Needs attention</h2>
      <ul className="stack tight">
        <Line
          items={tried}
          one={({ token, event }) => (
            <>
              {token.revokedAt ? "was revoked" : "expired"} <Time at={endOf(token) ?? now} now={now} /> and is still
              tried: last <LastRefusal event={event} now={now} />
            </>
          )}
          several={["ended tokens are still tried", "Give their programs a new token."]}
        />
        <Line
          items={elsewhere}
          one={({ event }) => (
            <>
              was refused outside its networks: last <LastRefusal event={event} now={now} />
            </>
          )}
          several={[
            "tokens were refused outside their networks",
            "Add the networks of your programs, and replace tokens that strangers have.",
          ]}
          part="networks"
          action="Change networks of"
        />
        <Line
          items={ending.map((token) => ({ token, at: token.expiresAt ?? now }))}
          one={({ at }) => (
            <>
              ends <Until at={at} now={now} />, on <DateOf at={at} />
            </>
          )}
          several={["tokens end within two weeks", "Replace those that programs still use."]}
          part="replace"
          action="Replace"
        />
        <NewNetworks items={seen} now={now} />
      </ul>
    </section>
  );
}

type LineProps<Of> = {
  items: readonly Of[];
  /** What is said of one token after its name. */
  one: (item: Of) => React.ReactNode;
  /** What is said of several before their names, and after them. */
  several: readonly [before: string, after: string];
  /** The part of a token's page that the names of several lead to, and `action` of one. */
  part?: "networks" | "replace";
  action?: string;
  /** What can be done, in the place of `action`. */
  children?: React.ReactNode;
};

/** The same of one token or of several, in a line. */
function Line<Of extends { token: TokenRecord }>({ items, one, several, part, action, children }: LineProps<Of>) {
  const [item, ...others] = items;
  if (!item) return null;
  const isOne = others.length === 0;
  const hrefOf = ({ token }: Of) => tokenPath(token.id) + (part ? `#${part}` : "");
  return (
    <li className={`row spread ${styles.line}`}>
      {isOne ? (
        <span>
          <TokenName token={item.token} /> {one(item)}.
        </span>
      ) : (
        <span>
          {items.length} {several[0]}:{" "}
          {items.map((item, index) => (
            <span key={item.token.id}>
              {index > 0 && (index === others.length ? " and " : ", ")}
              <a className="inline-link" href={hrefOf(item)}>
                <Name>{item.token.name}</Name>
              </a>
            </span>
          ))}
          . {several[1]}
        </span>
      )}
      {isOne && action && (
        <a className="target medium" href={hrefOf(item)}>
          {action} <UnseenName>{item.token.name}</UnseenName>
        </a>
      )}
      {children}
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

function NewNetworks({ items, now }: { items: readonly Item[]; now: Date }) {
  return (
    <Line
      items={items}
      one={({ event: { startedAt, facts } }) => {
        const program = programName(facts.agent ?? null);
        return (
          <>
            was used from a new network <Time at={startedAt} now={now} />: <Ip ip={facts.network ?? ""} />
            {program && ` (${program})`}
          </>
        );
      }}
      several={["tokens were used from a new network", "Revoke those that you did not use there."]}
    >
      <NewsActions
        tokens={items.map(({ token: { id, name }, event }) => ({ id, name, network: event.facts.network ?? null }))}
      />
    </Line>
  );
}
