import { CodeBlock } from "@/app/ui/code-block";
import { Cell, type Column, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Ips } from "@/app/ui/ips";
import { Name } from "@/app/ui/name";
import { Section } from "@/app/ui/section";
import { DateOf, Time, Until } from "@/app/ui/time";
import { TOKEN_PAGE, tokenPath } from "@/lib/page-paths";
import type { DayOfUse } from "@/lib/tokens/activity";
import { endsSoon, type TokenEvent } from "@/lib/tokens/events/token-events";
import { endOf, MAX_ACTIVE_TOKENS, MAX_ENDED_SHOWN, type TokenRecord } from "@/lib/tokens/management";
import { RevokeLink } from "../revoke/revoke-questions";
import { Selection } from "../revoke/selection";
import { LastUse, Refusals } from "./last-use";
import { Replacements } from "./replacements";
import styles from "./token-list.module.css";
import { applyView, filterTokens, type Sort, searchText, type View } from "./view";

// Both tables have the same number of columns with the same widths, so that their columns line up.
const activeColumns = (view: View): Column[] => [
  { title: "Token", sort: sortBy("name", "ascending", view) },
  { title: "Created", sort: sortBy("created", "descending", view) },
  { title: "Expires", sort: sortBy("expires", "ascending", view) },
  { title: "Last used", sort: sortBy("used", "descending", view) },
  { title: "Action", isTitleHidden: true },
];
const ENDED_COLUMNS = ["Token", "Created", "Ended", "Last used", "Refused"];

/** The list names this many networks of a token, and counts more. */
const FEW_NETWORKS = 2;
/** The page shows this many ended tokens and folds the others. */
const UNFOLDED = 10;

type Props = { tokens: readonly TokenRecord[]; view: View; now: Date };
type ActiveProps = Props & {
  days: ReadonlyMap<number, DayOfUse>;
  news: readonly TokenEvent[];
  /** Where the API is. */
  origin: string;
};

/** Tokens that work. Several can be sorted, and selected to be revoked together. */
export function ActiveTokens({ tokens, days, news, view, origin, now }: ActiveProps) {
  const shown = applyView(tokens, view);
  const isSelectable = shown.length > 1;
  const table = (
    <DataTable
      label="Active tokens"
      columns={isSelectable ? activeColumns(view) : activeColumns(view).map(({ sort, ...column }) => column)}
      isSet
      className={`breaks ${styles.table}`}
    >
      {shown.map((token) => (
        <TokenRow
          key={token.id}
          {...{ token, now }}
          active={{ isSelectable, all: tokens, isSoon: endsSoon(token.id, news), day: days.get(token.id) }}
        />
      ))}
    </DataTable>
  );
  const part = shown.length < tokens.length ? `, ${shown.length} shown` : "";
  return (
    <Section
      id="active"
      title="Active tokens"
      note={tokens.length > 0 && `${tokens.length} of ${MAX_ACTIVE_TOKENS}${part}`}
    >
      {tokens.length === 0 && (
        <div className="card card-body">
          <p>
            A token is a password for one program: a dashboard, a script or an alert that reads your servers through the
            API. Give each program its own, so that you can revoke one without touching the others.
          </p>
          <CodeBlock label="Example" text={`curl -sS ${origin}/api/v1/me -H "Authorization: Bearer $TOKEN"`} />
        </div>
      )}
      {tokens.length > 0 && shown.length === 0 && <p>No active token matches “{view.filter}”.</p>}
      {shown.length > 0 && (isSelectable ? <Selection>{table}</Selection> : table)}
    </Section>
  );
}

/** Tokens that no longer work, and the programs that still send them. `hasMore`: the account had more than these. */
export function EndedTokens({ tokens, hasMore, view, now }: Props & { hasMore: boolean }) {
  const shown = filterTokens(tokens, view.filter);
  const table = (label: string, tokens: readonly TokenRecord[]) => (
    <DataTable label={label} columns={ENDED_COLUMNS} isSet className={`breaks ${styles.table} ${styles.ended}`}>
      {tokens.map((token) => (
        <TokenRow key={token.id} {...{ token, now }} />
      ))}
    </DataTable>
  );
  return (
    <Section
      id="ended"
      title="Revoked and expired"
      note={hasMore ? `The last ${MAX_ENDED_SHOWN}; earlier ones are not kept` : "Kept here for 90 days"}
    >
      {shown.length > 0 ? (
        table("Revoked and expired tokens", shown.slice(0, UNFOLDED))
      ) : (
        <p>No ended token matches “{view.filter}”.</p>
      )}
      {shown.length > UNFOLDED && (
        <details className="disclosure">
          <summary>{shown.length - UNFOLDED} more</summary>
          {table("More revoked and expired tokens", shown.slice(UNFOLDED))}
        </details>
      )}
    </Section>
  );
}

type RowProps = {
  token: TokenRecord;
  now: Date;
  /** Of a token that works: whether it has a check box, every active token, and whether its end is near. */
  active?: { isSelectable: boolean; all: readonly TokenRecord[]; isSoon: boolean; day: DayOfUse | undefined };
};

function TokenRow({ token, now, active }: RowProps) {
  const { id, name, hint, networks } = token;
  return (
    <Row data-search={searchText(token)}>
      <RowTitle className={styles.nameCell}>
        <span className={styles.choice}>
          {active?.isSelectable && (
            <input
              className="check"
              type="checkbox"
              name="revoke"
              value={id}
              aria-label={`Select ${name}, ending in ${hint}`}
            />
          )}
          <span className={styles.naming}>
            <a className={`target ${styles.name}`} href={tokenPath(id)}>
              <Name>{name}</Name>
            </a>
            <Fingerprint hint={hint} isSoft />
            {active && (
              <Replacements
                {...{ token, now }}
                isActive
                by={active.all.find(({ id }) => id === token.replacedById)}
                of={active.all.find(({ replacedById }) => replacedById === id)}
                className="hint"
              />
            )}
            {active && networks.length > 0 && (
              <span className="hint">
                Only from {networks.length > FEW_NETWORKS ? `${networks.length} networks` : <Ips ips={networks} />}
              </span>
            )}
          </span>
        </span>
      </RowTitle>
      <Value label="Created">
        <Time at={token.createdAt} now={now} />
      </Value>
      <Value label={active ? "Expires" : "Ended"}>
        {active ? <Expiry {...{ token, now }} isSoon={active.isSoon} /> : <Ending {...{ token, now }} />}
      </Value>
      <Value label="Last used">
        <LastUse token={token} now={now} />
        {active?.day && <Traffic day={active.day} />}
      </Value>
      {active ? (
        <Cell className={`end ${styles.action}`}>
          <RevokeLink selection={[id]} className="plain-button wary">
            Revoke
            <span className="visually-hidden">
              {" "}
              <Name>{name}</Name>, ending in {hint}
            </span>
          </RevokeLink>
        </Cell>
      ) : (
        <Value label="Refused">
          <Refusals token={token} now={now} />
        </Value>
      )}
    </Row>
  );
}

function Value({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <Cell label={label} className={styles.value}>
      <span>{children}</span>
    </Cell>
  );
}

/** Each column sorts in its one useful order. */
function sortBy(sort: Sort, order: "ascending" | "descending", view: View): Column["sort"] {
  const query = new URLSearchParams({ ...(view.filter && { filter: view.filter }), sort });
  return { href: `${TOKEN_PAGE}?${query}`, order: view.sort === sort ? order : null };
}

/** A day of requests in the height of a line, and how many those were. */
function Traffic({ day: { total, hours } }: { day: DayOfUse }) {
  if (total.requests === 0) return null;
  const most = Math.max(...hours.map(({ requests }) => requests));
  return (
    <span className="hint">
      <svg className={styles.traffic} viewBox="0 0 72 16" aria-hidden="true">
        {hours.map(({ hour, requests }, index) => {
          const height = (16 * requests) / most;
          return <rect key={hour.getTime()} x={3 * index} y={16 - height} width="2" height={height} />;
        })}
      </svg>
      {total.requests.toLocaleString("en")} in 24 hours
    </span>
  );
}

function Expiry({ token: { expiresAt }, isSoon, now }: { token: TokenRecord; isSoon: boolean; now: Date }) {
  if (!expiresAt) return <span className="soft">Never</span>;
  return (
    <>
      <span className="nowrap">
        <DateOf at={expiresAt} />
      </span>
      <span className={isSoon ? "badge warning" : "hint"}>
        <Until at={expiresAt} now={now} />
      </span>
    </>
  );
}

function Ending({ token, now }: { token: TokenRecord; now: Date }) {
  return (
    <>
      <span>{token.revokedAt ? "Revoked" : "Expired"}</span>
      <span className="hint">
        <Time at={endOf(token) ?? now} now={now} />
      </span>
    </>
  );
}
