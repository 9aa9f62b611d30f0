import { execute, query } from "@/lib/database/run-statement";
import { names, select, statement, type ValuesOfStatement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

const s = table("Session", "s");
const a = table("Account", "a");

// Raw, because the insert must lock the account. A concurrent change of the account ends all sessions: `for share` waits
// for it, so that no session slips in behind it.
const START = statement(
  {
    tokenHash: s.tokenHash,
    expiresAt: s.expiresAt,
    ip: s.ip,
    userAgent: s.userAgent,
    accountId: a.id,
    passwordHash: a.passwordHash,
  },
  ({ tokenHash, expiresAt, ip, userAgent, accountId, passwordHash }) => ({
    sql: `insert into sessions (${names(s.tokenHash, s.accountId, s.expiresAt, s.ip, s.userAgent)})
    select ${tokenHash}, ${a.id}, ${expiresAt}, ${ip}, ${userAgent} from ${a}
    where ${a.id} = ${accountId} and ${a.passwordHash} = ${passwordHash} and ${a.disabledAt} is null for share`,
  }),
);

/** Returns false and stores nothing when the account was disabled or its password changed meanwhile. */
export async function storeSession(session: ValuesOfStatement<typeof START>): Promise<boolean> {
  return (await execute(START, session)) === 1;
}

// Raw, because it runs before the page of a session that this process has not seen yet.
const ACCOUNT_OF = statement({ tokenHash: s.tokenHash, now: s.expiresAt }, ({ tokenHash, now }) =>
  select({ accountId: s.accountId }, `from ${s} where ${s.tokenHash} = ${tokenHash} and ${s.expiresAt} > ${now}`),
);

/** The account of the session with this hash. Only says whose turn a page is: access is decided by `findAccount`. */
export async function findSessionAccount(tokenHash: string): Promise<number | null> {
  const [row] = await query(ACCOUNT_OF, { tokenHash, now: new Date() });
  return row?.accountId ?? null;
}

/**
 * An ended session keeps its row, because sign-in uses its ip to recognise the owner. Its end lies so far in the past, in
 * milliseconds, that no instance takes it for alive, whatever its clock, and no earlier request extends it.
 */
export const ENDED_BEFORE = DAY;

/** Sessions of one account, ended ones included; signing in once more ends the oldest within an hour. */
export const MAX_SESSIONS = 1000;
