import type { Prisma } from "@/lib/database/client";
import { queryIn } from "./run-statement";
import { select, statement } from "./statement";
import { table } from "./tables";

// Raw, because the typed client cannot lock a row.

const a = table("Account", "a");
const s = table("Server", "s");

// Not "for update": whoever writes a row of the account, such as an event, would wait for it with locks of its own.
const ACCOUNT = statement({ id: a.id }, ({ id }) =>
  select({ id: a.id }, `from ${a} where ${a.id} = ${id} for no key update`),
);

const OWN_SERVER = statement({ id: s.id, accountId: s.accountId }, ({ id, accountId }) =>
  select({ id: s.id }, `from ${s} where ${s.id} = ${id} and ${s.accountId} = ${accountId} for update`),
);

/** Locks an account until the end of the transaction. False when there is no such account. */
export async function lockAccount(tx: Prisma.TransactionClient, id: number): Promise<boolean> {
  return (await queryIn(tx, ACCOUNT, { id })).length > 0;
}

/** Locks a server of the account until the end of the transaction. False when there is no such server. */
export async function lockServer(tx: Prisma.TransactionClient, accountId: number, id: number): Promise<boolean> {
  return (await queryIn(tx, OWN_SERVER, { id, accountId })).length > 0;
}
