import Link from "next/link";
import { TOKEN_PAGE } from "@/app/paths";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Time } from "@/app/ui/time";
import { dateText, relativeTime } from "@/lib/relative-time";
import { DAY } from "@/lib/time";
import type { TokenRecord } from "@/lib/tokens/management";
import { tokenState } from "@/lib/tokens/state";
import { programName } from "./program-name";
import styles from "./token-list.module.css";

const EXPIRES_SOON = 7 * DAY;
/** After that, when a token was last used is all that its owner asks. */
const FIRST_USE_IS_NEWS = DAY;

type Column = { title: string; width?: string | undefined };

const ACTIVE_COLUMNS: readonly Column[] = [
  { title: "Token", width: styles.wide },
  { title: "Created", width: styles.narrow },
  { title: "Expires", width: styles.narrow },
  { title: "Last used" },
  { title: "Action" },
];
const ENDED_COLUMNS: readonly Column[] = [
  { title: "Token", width: styles.wide },
  { title: "Ended", width: styles.ending },
  { title: "Last used" },
  { title: "Since then", width: styles.wide },
];

type Props = { tokens: readonly TokenRecord[]; now: Date };

/** Tokens that work, newest first. */
export function ActiveTokens({ tokens, now }: Props) {
  return (
    <TokenTable label="Active tokens" columns={ACTIVE_COLUMNS}>
      {tokens.map((token) => (
        <tr key={token.id}>
          <NameCell token={token} />
          <Cell label="Created">
            <Time at={token.createdAt} now={now} />
          </Cell>
          <Cell label="Expires">
            <Expiry at={token.expiresAt} now={now} />
          </Cell>
          <Cell label="Last used">
            <LastUse token={token} now={now} />
          </Cell>
          <td className={styles.action}>
            <Link
              id={`revoke-${token.id}`}
              className="button quiet wary small"
              href={`${TOKEN_PAGE}?revoke=${token.id}`}
              prefetch={false}
              scroll={false}
            >
              Revoke
              <span className="visually-hidden">
                {" "}
                {token.name}, ending in {token.hint}
              </span>
            </Link>
          </td>
        </tr>
      ))}
    </TokenTable>
  );
}

/** Tokens that no longer work, and whether somebody still tries. */
export function EndedTokens({ tokens, now }: Props) {
  return (
    <TokenTable label="Revoked and expired tokens" columns={ENDED_COLUMNS} isEnded>
      {tokens.map((token) => (
        <tr key={token.id}>
          <NameCell token={token} />
          <Cell label="Ended">
            <Ending token={token} now={now} />
          </Cell>
          <Cell label="Last used">
            <LastUse token={token} now={now} />
          </Cell>
          <Cell label="Since then">
            <Refusals token={token} now={now} />
          </Cell>
        </tr>
      ))}
    </TokenTable>
  );
}

/** On a narrow screen each row becomes a card; the roles keep it a table for those who do not see it. */
function TokenTable(props: {
  label: string;
  columns: readonly Column[];
  isEnded?: boolean;
  children: React.ReactNode;
}) {
  return (
    <div className={`card ${styles.frame}`}>
      {/* biome-ignore-start lint/a11y/noRedundantRoles: without them a table laid out as cards is none to a browser */}
      <table className={`${styles.table} ${props.isEnded ? styles.ended : ""}`} role="table" aria-label={props.label}>
        <thead role="rowgroup">
          <tr role="row">
            {props.columns.map(({ title, width }) => (
              <th key={title} className={width} scope="col" role="columnheader">
                {title === "Action" ? <span className="visually-hidden">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">{props.children}</tbody>
      </table>
      {/* biome-ignore-end lint/a11y/noRedundantRoles: see above */}
    </div>
  );
}

function NameCell({ token }: { token: TokenRecord }) {
  return (
    <th scope="row" className={styles.nameCell}>
      <span className={styles.name}>{token.name}</span>
      <Fingerprint hint={token.hint} isSoft />
    </th>
  );
}

function Cell({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <td>
      <span className={styles.label} aria-hidden="true">
        {label}
      </span>
      <span className={styles.value}>{children}</span>
    </td>
  );
}

function Expiry({ at, now }: { at: Date | null; now: Date }) {
  if (!at) return <span className="soft">Never</span>;
  const isSoon = at.getTime() - now.getTime() < EXPIRES_SOON;
  return (
    <>
      <span className={styles.nowrap}>{dateText(at)}</span>
      <span className={isSoon ? "badge warning" : styles.detail}>{relativeTime(at, now)}</span>
    </>
  );
}

function Ending({ token, now }: { token: TokenRecord; now: Date }) {
  const isRevoked = tokenState(token, now) === "revoked";
  const at = isRevoked ? token.revokedAt : token.expiresAt;
  return (
    <>
      <span>
        {isRevoked ? "Revoked" : "Expired"} {at && <Time at={at} now={now} />}
      </span>
      <span className={styles.detail}>
        Created <Time at={token.createdAt} now={now} />
      </span>
    </>
  );
}

function LastUse({ token, now }: { token: TokenRecord; now: Date }) {
  const { lastUsedAt, lastUsedIp, lastUsedAgent, firstUsedAt, firstUsedIp } = token;
  if (!lastUsedAt) {
    return (
      <span className="soft">
        {tokenState(token, now) === "active" ? "Waiting for the first request" : "Never used"}
      </span>
    );
  }
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
