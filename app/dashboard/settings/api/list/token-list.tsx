import { Cell, type Column, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Name } from "@/app/ui/name";
import { DateOf, Time, Until } from "@/app/ui/time";
import { TOKEN_PAGE, tokenPath } from "@/lib/page-paths";
import type { DayOfUse } from "@/lib/tokens/activity";
import { endsSoon, type TokenEvent } from "@/lib/tokens/events/token-events";
import { endOf, type TokenRecord } from "@/lib/tokens/management";
import { NetworkList } from "../networks/network-list";
import { RevokeLink } from "../revoke/revoke-questions";
import { Selection } from "../revoke/selection";
import { LastUse, Refusals } from "./last-use";
import { ReplacementNote } from "./replacement-note";
import styles from "./token-list.module.css";
import { searchText } from "./token-view";
import type { Sort, View } from "./view";

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

type Props = { tokens: readonly TokenRecord[]; now: Date };
type ActiveProps = Props & {
  /** Every active token, including tokens that are not shown. */
  all: readonly TokenRecord[];
  days: ReadonlyMap<number, DayOfUse>;
  news: readonly TokenEvent[];
  view: View;
};

/** Tokens that work. Several can be sorted, and selected to be revoked together. */
export function ActiveTokens({ tokens, all, days, news, view, now }: ActiveProps) {
  const isSelectable = tokens.length > 1;
  const table = (
    <DataTable
      label="Active tokens"
      columns={isSelectable ? activeColumns(view) : activeColumns(view).map(({ sort, ...column }) => column)}
      isSet
      className={`breaks ${styles.table}`}
    >
      {tokens.map((token) => (
        <TokenRow
          key={token.id}
          {...{ token, isSelectable, now }}
          notes={
            <>
              <Replacement token={token} all={all} now={now} />
              <OnlyFrom networks={token.networks} />
            </>
          }
          end={["Expires", <Expiry key="expires" token={token} isSoon={endsSoon(token.id, news)} now={now} />]}
          traffic={<Traffic day={days.get(token.id)} />}
        >
          <Cell className={`end ${styles.action}`}>
            <RevokeLink selection={[token.id]} className="plain-button wary">
              Revoke
              <span className="visually-hidden">
                {" "}
                <Name>{token.name}</Name>, ending in {token.hint}
              </span>
            </RevokeLink>
          </Cell>
        </TokenRow>
      ))}
    </DataTable>
  );
  return isSelectable ? <Selection>{table}</Selection> : table;
}

/** Tokens that no longer work, and the programs that still send them. */
export function EndedTokens({ tokens, now, isMore = false }: Props & { isMore?: boolean }) {
  return (
    <DataTable
      label={isMore ? "More revoked and expired tokens" : "Revoked and expired tokens"}
      columns={ENDED_COLUMNS}
      isSet
      className={`breaks ${styles.table} ${styles.ended}`}
    >
      {tokens.map((token) => (
        <TokenRow key={token.id} {...{ token, now }} end={["Ended", <Ending key="ended" token={token} now={now} />]}>
          <Value label="Refused">
            <Refusals token={token} now={now} />
          </Value>
        </TokenRow>
      ))}
    </DataTable>
  );
}

type RowProps = {
  token: TokenRecord;
  now: Date;
  /** With a check box. */
  isSelectable?: boolean;
  /** Below the name. */
  notes?: React.ReactNode;
  /** The third column. */
  end: readonly [label: string, value: React.ReactNode];
  /** Below the last use. */
  traffic?: React.ReactNode;
  /** The last column. */
  children: React.ReactNode;
};

/** What both tables say of a token. */
function TokenRow({ token, now, isSelectable = false, notes, end: [label, end], traffic, children }: RowProps) {
  return (
    <Row data-search={searchText(token)}>
      <RowTitle className={styles.nameCell}>
        <span className={styles.choice}>
          {isSelectable && (
            <input
              className="check"
              type="checkbox"
              name="revoke"
              value={token.id}
              aria-label={`Select ${token.name}, ending in ${token.hint}`}
            />
          )}
          <span className={styles.naming}>
            <a className={`target ${styles.name}`} href={tokenPath(token.id)}>
              <Name>{token.name}</Name>
            </a>
            <Fingerprint hint={token.hint} isSoft />
            {notes}
          </span>
        </span>
      </RowTitle>
      <Value label="Created">
        <Time at={token.createdAt} now={now} />
      </Value>
      <Value label={label}>{end}</Value>
      <Value label="Last used">
        <LastUse token={token} now={now} />
        {traffic}
      </Value>
      {children}
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

function OnlyFrom({ networks }: { networks: readonly string[] }) {
  if (networks.length === 0) return null;
  return (
    <span className="hint">
      Only from {networks.length > FEW_NETWORKS ? `${networks.length} networks` : <NetworkList networks={networks} />}
    </span>
  );
}

/** Each column sorts in its one useful order. */
function sortBy(sort: Sort, order: "ascending" | "descending", view: View): Column["sort"] {
  const query = new URLSearchParams({ ...(view.filter && { filter: view.filter }), sort });
  return { href: `${TOKEN_PAGE}?${query}`, order: view.sort === sort ? order : null };
}

/** While an old and a new token both work, says which token replaces which. */
function Replacement({ token, all, now }: { token: TokenRecord; all: readonly TokenRecord[]; now: Date }) {
  const by = all.find(({ id }) => id === token.replacedById);
  const of = all.find(({ replacedById }) => replacedById === token.id);
  return (
    <>
      {by && (
        <span className="hint">
          <ReplacementNote token={token} by={by} now={now} />
        </span>
      )}
      {of && (
        <span className="hint">
          Replaces{" "}
          <a className="inline-link" href={tokenPath(of.id)}>
            <Fingerprint hint={of.hint} />
          </a>
        </span>
      )}
    </>
  );
}

/** A day of requests in the height of a line, and how many those were. */
function Traffic({ day }: { day: DayOfUse | undefined }) {
  if (!day || day.total.requests === 0) return null;
  const most = Math.max(...day.hours.map(({ requests }) => requests));
  return (
    <span className="hint">
      <svg className={styles.traffic} viewBox="0 0 72 16" aria-hidden="true">
        {day.hours.map(({ hour, requests }, index) => {
          const height = (16 * requests) / most;
          return <rect key={hour.getTime()} x={3 * index} y={16 - height} width="2" height={height} />;
        })}
      </svg>
      {day.total.requests.toLocaleString("en")} in 24 hours
    </span>
  );
}

function Expiry({ token, isSoon, now }: { token: TokenRecord; isSoon: boolean; now: Date }) {
  if (!token.expiresAt) return <span className="soft">Never</span>;
  return (
    <>
      <span className="nowrap">
        <DateOf at={token.expiresAt} />
      </span>
      <span className={isSoon ? "badge warning" : "hint"}>
        <Until at={token.expiresAt} now={now} />
      </span>
    </>
  );
}

function Ending({ token, now }: { token: TokenRecord; now: Date }) {
  const at = endOf(token);
  return (
    <>
      <span>{token.revokedAt ? "Revoked" : "Expired"}</span>
      {at && (
        <span className="hint">
          <Time at={at} now={now} />
        </span>
      )}
    </>
  );
}
