import { BEFORE, deleteEach, deletionOfAll, type GoesOn } from "@/lib/database/deletion";
import { execute } from "@/lib/database/run-statement";
import { names, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/time";

const s = table("Session", "s");
const a = table("Account", "a");

// Raw, because the account stays locked while the session is stored: `for share` waits for a change of the account that
// is under way, which ends all sessions, and then sees it.
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

type NewSession = {
  tokenHash: string;
  expiresAt: Date;
  ip: string | null;
  userAgent: string | null;
  accountId: number;
  passwordHash: string;
};

/** False when the account is disabled or has another password by now: nothing is stored then. */
export async function storeSession(session: NewSession): Promise<boolean> {
  return (await execute(START, session)) === 1;
}

const ENDED = deletionOfAll("sessions", BEFORE, (before) => `select s.ctid from ${s} where ${s.expiresAt} < ${before}`);

/** Forgets sessions that ended more than `days` days before `now` (epoch ms). Answers how many. */
export function deleteEndedSessions(now: number, days: number, goesOn: GoesOn): Promise<number> {
  return deleteEach(ENDED, new Date(now - days * DAY), goesOn);
}
