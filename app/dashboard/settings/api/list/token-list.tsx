import { TOKEN_PAGE } from "@/app/paths";
import { Cell, type Column, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Time } from "@/app/ui/time";
import { dateText, untilText } from "@/lib/relative-time";
import { DAY } from "@/lib/time";
import type { DayOfUse } from "@/lib/tokens/activity";
import { endsSoon } from "@/lib/tokens/expiry";
import { endOf, type TokenRecord } from "@/lib/tokens/management";
import { RevokeLink } from "../revoke/revoke-questions";
import { programName } from "./program-name";
import { ReplacementNote } from "./replacement-note";
import styles from "./token-list.module.css";

/** After that, when a token was last used is all that its owner asks. */
const FIRST_USE_IS_NEWS = DAY;

// As many columns in both tables, of the same widths, so that they stand below each other.
const ACTIVE_COLUMNS: readonly Column[] = [
  { title: "Token" },
  { title: "Created" },
  { title: "Expires" },
  { title: "Last used" },
  { title: "Action", isTitleHidden: true },
];
const ENDED_COLUMNS: readonly Column[] = [
  { title: "Token" },
  { title: "Created" },
  { title: "Ended" },
  { title: "Last used" },
  { title: "Since then" },
];

type Props = { tokens: readonly TokenRecord[]; now: Date };
type ActiveProps = Props & {
  /** Every active token, those included that are not shown. */
  all: readonly TokenRecord[];
  days: ReadonlyMap<number, DayOfUse>;
  /** With a check box for each. */
  isSelectable?: boolean;
};

/** Tokens that work. */
export function ActiveTokens({ tokens, all, days, now, isSelectable = false }: ActiveProps) {
  return (
    <DataTable label="Active tokens" columns={ACTIVE_COLUMNS} className={styles.table}>
      {tokens.map((token) => (
        <Row key={token.id}>
          <NameCell token={token} isSelectable={isSelectable}>
            <Replacement token={token} all={all} now={now} />
          </NameCell>
          <Cell label="Created" className={styles.value}>
            <span>
              <Time at={token.createdAt} now={now} />
            </span>
          </Cell>
          <Cell label="Expires" className={styles.value}>
            <span>
              <Expiry token={token} now={now} />
            </span>
          </Cell>
          <Cell label="Last used" className={styles.value}>
            <span>
              <LastUse token={token} now={now} />
              <Traffic day={days.get(token.id)} />
            </span>
          </Cell>
          <Cell className={styles.action}>
            <RevokeLink which={[token.id]} className="plain-button wary">
              Revoke
              <span className="visually-hidden">
                {" "}
                {token.name}, ending in {token.hint}
              </span>
            </RevokeLink>
          </Cell>
        </Row>
      ))}
    </DataTable>
  );
}

/** Tokens that no longer work, and whether somebody still tries. */
export function EndedTokens({ tokens, now, isMore = false }: Props & { isMore?: boolean }) {
  return (
    <DataTable
      label={isMore ? "More revoked and expired tokens" : "Revoked and expired tokens"}
      columns={ENDED_COLUMNS}
      className={`${styles.table} ${styles.ended}`}
    >
      {tokens.map((token) => (
        <Row key={token.id}>
          <NameCell token={token} />
          <Cell label="Created" className={styles.value}>
            <span>
              <Time at={token.createdAt} now={now} />
            </span>
          </Cell>
          <Cell label="Ended" className={styles.value}>
            <span>
              <Ending token={token} now={now} />
            </span>
          </Cell>
          <Cell label="Last used" className={styles.value}>
            <span>
              <LastUse token={token} now={now} />
            </span>
          </Cell>
          <Cell label="Since then" className={styles.value}>
            <span>
              <Refusals token={token} now={now} />
            </span>
          </Cell>
        </Row>
      ))}
    </DataTable>
  );
}

type NameProps = { token: TokenRecord; isSelectable?: boolean; children?: React.ReactNode };

function NameCell({ token, isSelectable = false, children }: NameProps) {
  return (
    <RowTitle className={styles.nameCell}>
      <span className={styles.choice}>
        {isSelectable && (
          <input
            className={styles.check}
            type="checkbox"
            name="revoke"
            value={token.id}
            aria-label={`Select ${token.name}, ending in ${token.hint}`}
          />
        )}
        <span className={styles.naming}>
          <a className={styles.name} href={`${TOKEN_PAGE}/${token.id}`}>
            {token.name}
          </a>
          <Fingerprint hint={token.hint} isSoft />
          {children}
        </span>
      </span>
    </RowTitle>
  );
}

/** Of two tokens that work side by side for a while: which takes whose place. */
function Replacement({ token, all, now }: { token: TokenRecord; all: readonly TokenRecord[]; now: Date }) {
  const by = all.find(({ id }) => id === token.replacedById);
  const of = all.find(({ replacedById }) => replacedById === token.id);
  return (
    <>
      {by && (
        <span className={styles.detail}>
          <ReplacementNote token={token} by={by} now={now} />
        </span>
      )}
      {of && (
        <span className={styles.detail}>
          Replaces <Fingerprint hint={of.hint} />
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
    <span className={styles.detail}>
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

function Expiry({ token, now }: { token: TokenRecord; now: Date }) {
  if (!token.expiresAt) return <span className="soft">Never</span>;
  return (
    <>
      <span className={styles.nowrap}>{dateText(token.expiresAt)}</span>
      <span className={endsSoon(token, now) ? "badge warning" : styles.detail}>{untilText(token.expiresAt, now)}</span>
    </>
  );
}

function Ending({ token, now }: { token: TokenRecord; now: Date }) {
  const at = endOf(token);
  return (
    <>
      <span>{token.revokedAt ? "Revoked" : "Expired"}</span>
      {at && (
        <span className={styles.detail}>
          <Time at={at} now={now} />
        </span>
      )}
    </>
  );
}

function LastUse({ token, now }: { token: TokenRecord; now: Date }) {
  const { lastUsedAt, lastUsedIp, lastUsedAgent, firstUsedAt, firstUsedIp } = token;
  if (!lastUsedAt) return <span className="soft">Never used</span>;
  return (
    <>
      <Time at={lastUsedAt} now={now} />
      <span className={styles.detail} title={lastUsedAgent ?? undefined}>
        {[lastUsedIp, programName(lastUsedAgent)].filter(Boolean).join(" · ")}
      </span>
      {firstUsedAt && now.getTime() - firstUsedAt.getTime() < FIRST_USE_IS_NEWS && (
        <span className={styles.detail}>
          First request received: <Time at={firstUsedAt} now={now} />
          {firstUsedIp && `, from ${firstUsedIp}`}
        </span>
      )}
    </>
  );
}

function Refusals({ token, now }: { token: TokenRecord; now: Date }) {
  const { refusedCount, lastRefusedAt, lastRefusedIp } = token;
  if (refusedCount === 0 || !lastRefusedAt) return <span className="soft">No request</span>;
  const program = programName(token.lastRefusedAgent);
  return (
    <span className={styles.refused} title={token.lastRefusedAgent ?? undefined}>
      Refused {refusedCount === 1 ? "once" : `${refusedCount.toLocaleString("en")} times`} since, last{" "}
      <Time at={lastRefusedAt} now={now} />
      {lastRefusedIp && ` from ${lastRefusedIp}`}
      {program && ` (${program})`}
    </span>
  );
}
