import { db, type Prisma } from "@/lib/database/client";
import { deleteOfOwner, deletionOfOwner } from "@/lib/database/deletion";
import { lockAccount, lockServer } from "@/lib/database/locks";
import { table } from "@/lib/database/tables";
import { type InvalidField, invalid } from "@/lib/failures";
import { isFormNonce } from "@/lib/http/form-fields";
import { recordMoment } from "@/lib/servers/events/events";
import { checkServerNames, type ServerNames } from "@/lib/servers/names";
import { addServerKey } from "@/lib/servers/server-keys";

/** The most servers of an account. A limit is needed because the API lists them without pages. */
export const MAX_SERVERS = 1000;

/** `rawKey` is the server's first key, for its owner's eyes only: it exists nowhere else and cannot be read again. */
type CreateServerResult =
  | { kind: "created"; id: number; rawKey: string }
  /** This form has added the server before; a key is never shown twice. */
  | { kind: "already-created"; id: number }
  | InvalidField<"label" | "hostname" | "form">;

type RenameServerResult = { kind: "renamed" } | { kind: "not-found" } | InvalidField<"label" | "hostname">;

/**
 * Adds a server with its first key. Refuses unusable names and more than `MAX_SERVERS`. `formNonce` identifies
 * a form, so that sending it twice adds one server.
 */
export async function createServer(
  accountId: number,
  { formNonce, ...names }: ServerNames & { formNonce?: string },
  now: Date = new Date(),
): Promise<CreateServerResult> {
  const checked = checkServerNames(names);
  if (checked.kind === "invalid") return checked;
  if (formNonce !== undefined && !isFormNonce(formNonce)) {
    return invalid("form", "This form is incomplete. Reload the page and try again.");
  }
  return db.$transaction(async (tx) => {
    // Additions to one account wait for each other here, so that the limit and the nonce are exact.
    await lockAccount(tx, accountId);
    if (formNonce !== undefined) {
      const where = { accountId, formNonce } satisfies Prisma.ServerWhereInput;
      const earlier = await tx.server.findFirst({ where, select: { id: true } });
      if (earlier) return { kind: "already-created", id: earlier.id };
    }
    if ((await tx.server.count({ where: { accountId } })) >= MAX_SERVERS) {
      return invalid("form", `An account can have ${MAX_SERVERS} servers. Remove one that is gone first.`);
    }
    const { label, hostname } = checked.names;
    const { id } = await tx.server.create({
      data: {
        accountId,
        label,
        hostname,
        formNonce: formNonce ?? null,
        createdAt: now,
      } satisfies Prisma.ServerUncheckedCreateInput,
      select: { id: true },
    });
    const rawKey = await addServerKey(tx, id, now);
    return { kind: "created", id, rawKey };
  });
}

/** Gives a server of the account another label and hostname. */
export async function renameServer(
  accountId: number,
  id: number,
  names: ServerNames,
  now: Date = new Date(),
): Promise<RenameServerResult> {
  const checked = checkServerNames(names);
  if (checked.kind === "invalid") return checked;
  const { label, hostname } = checked.names;
  return db.$transaction(async (tx) => {
    // Of two changes at once the second sees the names of the first.
    if (!(await lockServer(tx, accountId, id))) return { kind: "not-found" };
    const before = await tx.server.findUniqueOrThrow({ where: { id }, select: { label: true, hostname: true } });
    await tx.server.update({ where: { id }, data: { label, hostname }, select: { id: true } });
    const changed = {
      ...(before.label !== label && { label: before.label }),
      ...(before.hostname !== hostname && { hostname: before.hostname }),
    };
    if (Object.keys(changed).length > 0) await recordMoment(tx, id, "settings_changed", now, changed);
    return { kind: "renamed" };
  });
}

const e = table("Event", "e");
const h = table("TelemetryHour", "h");
const t = table("TelemetrySample", "t");
// With its row they would go in one statement.
const WITH_SERVER = [
  deletionOfOwner(e, e.subjectId, e.startedAt, `and ${e.subject} = 'server'`),
  deletionOfOwner(h, h.serverId, h.hour),
];
const SAMPLES = deletionOfOwner(t, t.serverId, t.at);

/** Deletes all samples of a server that is gone, in small statements. */
export function deleteSamplesOf(serverId: number): Promise<void> {
  return deleteOfOwner(SAMPLES, serverId);
}

/**
 * Removes a server with its keys, which are refused from the next request on, its samples, its events and its benchmark runs.
 * False when the account has no such server. If it is interrupted, the server stays and can be removed again, or the sweep
 * deletes the samples that are left.
 */
export async function removeServer(accountId: number, id: number): Promise<boolean> {
  if ((await db.server.count({ where: { id, accountId } })) === 0) return false;
  for (const rows of WITH_SERVER) await deleteOfOwner(rows, id);
  const isRemoved = await db.$transaction(async (tx) => {
    // What is planned for the server at this moment is planned before, or finds it gone.
    await lockAccount(tx, accountId);
    const { count } = await tx.server.deleteMany({ where: { id, accountId } });
    if (count === 1) await tx.event.deleteMany({ where: { subject: "server", subjectId: id } });
    return count === 1;
  });
  if (isRemoved) await deleteSamplesOf(id);
  return isRemoved;
}

const fleetServer = {
  id: true,
  accountId: true,
  label: true,
  hostname: true,
  lastSeenAt: true,
  account: { select: { email: true } },
} satisfies Prisma.ServerSelect;

/** A server with its owner, for the command line. `lastSeenAt` is null when it never checked in. */
type FleetServer = Prisma.ServerGetPayload<{ select: typeof fleetServer }>;

/** The servers of one account, or of all, by id. */
export async function listFleet(accountId: number | null): Promise<FleetServer[]> {
  return db.server.findMany({
    where: accountId === null ? {} : { accountId },
    select: fleetServer,
    orderBy: { id: "asc" },
  });
}

/** A server of any account, or null when there is none. */
export async function findFleetServer(id: number): Promise<FleetServer | null> {
  return db.server.findUnique({ where: { id }, select: fleetServer });
}
