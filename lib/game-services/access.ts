import { type Account, findEmail, isStaff } from "@/lib/accounts/accounts";
import { db, type Prisma } from "@/lib/database/client";
import { lockAccount } from "@/lib/database/locks";
import { query, queryIn } from "@/lib/database/run-statement";
import { parameter, type RowOfStatement, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { type InvalidField, invalid } from "@/lib/failures";
import { nameProblem, normalName } from "@/lib/format/names";
import { recordChange } from "./events/changes";
import { ASKER, askerOf, visibleTo } from "./game-services";
import { lockServices } from "./settlement";

/** E-mails that one service can be shared with. */
export const MAX_SHARES = 50;
/** Tickets of one service that can be open at a time, and that there can be at all. */
export const MAX_OPEN_TICKETS = 10;
export const MAX_TICKETS = 200;
/** Tickets of an account. They outlive the service that they are about, so deleting services makes no room. */
export const MAX_TICKETS_OF_ACCOUNT = 2000;
/** In characters as people count them (code points). */
const MAX_SUBJECT_LENGTH = 120;

/** Why an account sees a service. `support`: it is staff, and the owner lets staff see the service. */
export type Relation = "owner" | "shared" | "support" | "ticket";

const s = table("GameService", "s");
const g = table("ServiceGrant", "g");
const a = table("Account", "a");

/** Why an account sees the service `s` that it may see. */
const relationTo = (accountId: string) =>
  new Expression<Relation>(`case when ${s.accountId} = ${accountId} then 'owner'
    when exists (select from ${g} where ${g.serviceId} = ${s.id} and ${g.accountId} = ${accountId}) then 'shared'
    when ${s.supportAccess} then 'support' else 'ticket' end`);

const SEEN = statement({ id: s.id, ...ASKER }, ({ id, ...asker }) =>
  select(
    {
      relation: relationTo(asker.askerId),
      wish: s.wish,
      supportAccess: s.supportAccess,
      firstFetchedAt: s.firstFetchedAt,
      /** Edge nodes tell the origin each player's ip by PROXY protocol v2. */
      sendsRealIps: s.sendsRealIps,
      /** What players read while the origin is away. Null: a text of the edge nodes. */
      offlineText: s.offlineText,
    },
    `from ${s} where ${s.id} = ${id} and ${visibleTo(asker)}`,
  ),
);

/** Why an account sees a service, and what its pages say beyond the API; null when it may not see it. */
export async function findSeen(account: Account, id: number) {
  const [row] = await query(SEEN, { id, ...askerOf(account) });
  return row ?? null;
}

// Applies the API's own visibility rule to every account that could match.
const VIEWERS = statement({ id: s.id }, ({ id }) => {
  const isStaff = new Expression<boolean>(`(${a.role} <> 'customer')`);
  return select(
    { accountId: a.id, isStaff, relation: relationTo(a.id.sql) },
    `from ${s} join ${a} on ${a.id} in (
        select ${s.accountId} union select ${g.accountId} from ${g} where ${g.serviceId} = ${s.id}
        union select staff.id from accounts staff where staff.role in ('support', 'admin'))
      where ${s.id} = ${id} and ${a.disabledAt} is null
        and ${visibleTo({ askerId: a.id.sql, askerIsStaff: isStaff.sql })}
      order by ${a.id}`,
  );
});

/** An account that sees a service, and why. */
export type Viewer = RowOfStatement<typeof VIEWERS>;

/** Every account that sees a service now, by id. */
export async function listViewers(serviceId: number): Promise<Viewer[]> {
  return query(VIEWERS, { id: serviceId });
}

/** An e-mail that a service is shared with, as its owner typed it. Whether an account has it is not told. */
export type Share = { email: string; shownEmail: string; createdAt: Date };

/** The shares of a service. Empty when the account does not own the service. */
export async function listShares(accountId: number, serviceId: number): Promise<Share[]> {
  const where = { serviceId, service: { accountId } };
  const [shares, grants] = await Promise.all([
    db.serviceShare.findMany({ where, select: { email: true, typedEmail: true, createdAt: true, accountId: true } }),
    db.serviceGrant.findMany({
      where,
      select: { accountId: true, createdAt: true, account: { select: { email: true } } },
    }),
  ]);
  const known = new Set(shares.map((share) => share.accountId));
  // Granted by another program.
  const others = grants.filter((grant) => !known.has(grant.accountId));
  return [
    ...shares.map(({ email, typedEmail, createdAt }) => ({ email, shownEmail: typedEmail, createdAt })),
    ...others.map(({ account: { email }, createdAt }) => ({ email, shownEmail: email, createdAt })),
  ].sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime() || (one.email < other.email ? -1 : 1));
}

type ShareResult = { kind: "shared"; shownEmail: string } | { kind: "not-found" } | InvalidField<"email">;

// The trigger on accounts takes the same lock, so that a share and a new account with its e-mail cannot miss each other.
const LOCK_EMAIL = statement({ email: a.email }, ({ email }) => ({
  sql: `select pg_advisory_xact_lock(hashtextextended(${email}, 0))::text as locked`,
}));

/** Shares a service of the account with an e-mail. An account may get that e-mail later. */
export async function shareService(
  accountId: number,
  serviceId: number,
  text: string,
  now: Date = new Date(),
): Promise<ShareResult> {
  const email = findEmail(text);
  if (email === null) return invalid("email", "Enter an e-mail, such as ann@example.com.");
  return db.$transaction(async (tx) => {
    const own = await lockOwn(tx, accountId, serviceId);
    if (!own) return { kind: "not-found" };
    if (own.account.email === email) return invalid("email", "This is your own e-mail; you own the service.");
    const shares = await tx.serviceShare.count({ where: { serviceId, email: { not: email } } });
    if (shares >= MAX_SHARES)
      return invalid(
        "email",
        `A service can be shared with ${MAX_SHARES} e-mails. Stop sharing with one of them first.`,
      );
    await queryIn(tx, LOCK_EMAIL, { email });
    const account = await tx.account.findUnique({ where: { email }, select: { id: true } });
    const share = { typedEmail: text.trim(), accountId: account?.id ?? null };
    await tx.serviceShare.upsert({
      where: { serviceId_email: { serviceId, email } },
      create: { serviceId, email, ...share, createdAt: now },
      update: share,
    });
    if (account) {
      await tx.serviceGrant.createMany({
        data: [{ serviceId, accountId: account.id, createdAt: now }],
        skipDuplicates: true,
      });
    }
    await recordChange(tx, serviceId, accountId, { kind: "access_changed", what: "shared with an e-mail" }, now);
    return { kind: "shared", shownEmail: share.typedEmail };
  });
}

/** Takes a share back. Does nothing for an unknown share. False when the account has no such service. */
export async function unshareService(accountId: number, serviceId: number, email: string): Promise<boolean> {
  return db.$transaction(async (tx) => {
    if (!(await lockOwn(tx, accountId, serviceId))) return false;
    await queryIn(tx, LOCK_EMAIL, { email });
    const share = await tx.serviceShare.findUnique({
      where: { serviceId_email: { serviceId, email } },
      select: { accountId: true },
    });
    // The share names the account that got the grant: the account may have another e-mail by now.
    const grantee = share?.accountId ? { accountId: share.accountId } : { account: { email } };
    const grants = await tx.serviceGrant.deleteMany({ where: { serviceId, ...grantee } });
    const { count } = await tx.serviceShare.deleteMany({ where: { serviceId, email } });
    const what = "no longer shared with an e-mail";
    if (count + grants.count > 0) {
      await recordChange(tx, serviceId, accountId, { kind: "access_changed", what }, new Date());
    }
    return true;
  });
}

async function lockOwn(tx: Prisma.TransactionClient, accountId: number, id: number) {
  await lockServices(tx, [id]);
  const select = { supportAccess: true, updatedAt: true, account: { select: { email: true } } };
  return tx.gameService.findFirst({ where: { id, accountId }, select });
}

/** Allows or forbids staff to see a service. False when the account has no such service. */
export async function allowSupport(accountId: number, id: number, isAllowed: boolean): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const own = await lockOwn(tx, accountId, id);
    if (!own || own.supportAccess === isAllowed) return own !== null;
    // Its configuration does not change, and so neither does the time of that.
    await tx.gameService.update({ where: { id }, data: { supportAccess: isAllowed, updatedAt: own.updatedAt } });
    const what = isAllowed ? "support may see it" : "support may no longer see it";
    await recordChange(tx, id, accountId, { kind: "access_changed", what }, new Date());
    return true;
  });
}

/** A ticket of the owner that is linked to a service. */
export type ServiceTicket = Awaited<ReturnType<typeof listTickets>>[number];

/** The owner's tickets of a service, the open ones first, then the newest first. */
export async function listTickets(accountId: number, serviceId: number) {
  return db.ticket.findMany({
    where: { serviceId, accountId },
    select: { id: true, subject: true, status: true, createdAt: true },
    orderBy: [{ status: "asc" }, { id: "desc" }],
    take: MAX_TICKETS,
  });
}

/** Open tickets that one page of support staff lists. */
export const MAX_LISTED_TICKETS = 200;

const t = table("Ticket", "t");

// Raw: it compares the ticket's account with the service's, as the visibility rule does.
const OPEN_TICKETS = statement({ most: parameter<number>("int") }, ({ most }) =>
  select(
    {
      id: t.id,
      subject: t.subject,
      createdAt: t.createdAt,
      serviceId: s.id,
      serviceName: s.name,
      status: s.status,
      owner: a.email,
    },
    `from ${t} join ${s} on ${s.id} = ${t.serviceId} and ${s.accountId} = ${t.accountId} join ${a} on ${a.id} = ${s.accountId}
    where ${t.status} = 'open' order by ${t.id} desc limit ${most}`,
  ),
);

/** The open tickets by which staff see services (contract 2.5), the newest first. None for anybody else. */
export async function listOpenTickets(account: Account) {
  return isStaff(account) ? query(OPEN_TICKETS, { most: MAX_LISTED_TICKETS }) : [];
}

type OpenTicketResult = { kind: "opened"; id: number } | { kind: "not-found" } | InvalidField<"subject">;

/** Opens a ticket about a service of the account: while it is open, staff see the service (contract 2.5). */
export async function openServiceTicket(
  accountId: number,
  serviceId: number,
  text: string,
  now: Date = new Date(),
): Promise<OpenTicketResult> {
  const subject = normalName(text);
  const problem = subject === "" ? "Enter what the ticket is about." : nameProblem("name", subject, MAX_SUBJECT_LENGTH);
  if (problem !== null) return invalid("subject", problem.replace("A name", "A subject"));
  return db.$transaction(async (tx) => {
    // Serializes additions to one account, so that the limits are exact.
    await lockAccount(tx, accountId);
    if (!(await lockOwn(tx, accountId, serviceId))) return { kind: "not-found" };
    const where = { serviceId, accountId };
    const message = await ticketProblem(tx, where);
    if (message !== null) return invalid("subject", message);
    const { id } = await tx.ticket.create({
      data: { ...where, subject, createdAt: now } satisfies Prisma.TicketUncheckedCreateInput,
      select: { id: true },
    });
    return { kind: "opened", id };
  });
}

/** Why no further ticket can be opened; null when one can. */
async function ticketProblem(
  tx: Prisma.TransactionClient,
  where: { serviceId: number; accountId: number },
): Promise<string | null> {
  const { accountId } = where;
  if ((await tx.ticket.count({ where: { ...where, status: "open" } })) >= MAX_OPEN_TICKETS)
    return `A service can have ${MAX_OPEN_TICKETS} open tickets. Close one first.`;
  if ((await tx.ticket.count({ where })) >= MAX_TICKETS)
    return `A service can have ${MAX_TICKETS} tickets in all, closed ones included. This one has had as many.`;
  if ((await tx.ticket.count({ where: { accountId } })) >= MAX_TICKETS_OF_ACCOUNT)
    return `An account can have ${MAX_TICKETS_OF_ACCOUNT} tickets in all, closed ones included. Yours has had as many.`;
  return null;
}

/** Closes a ticket of the account about a service. False when there is no such open one. */
export async function closeServiceTicket(accountId: number, serviceId: number, id: number): Promise<boolean> {
  const { count } = await db.ticket.updateMany({
    where: { id, serviceId, accountId, status: "open" },
    data: { status: "closed" },
  });
  return count === 1;
}
