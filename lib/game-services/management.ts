import { db, type Prisma } from "@/lib/database/client";
import { databaseNow } from "@/lib/database/clock";
import { lockAccount } from "@/lib/database/locks";
import { type InvalidField, invalid } from "@/lib/failures";
import { nameProblem, normalName } from "@/lib/format/names";
import { counted } from "@/lib/format/quantities";
import { MINUTE } from "@/lib/format/time";
import type { ServiceWish } from "@/lib/generated/prisma/enums";
import { isFormNonce } from "@/lib/http/form-fields";
import { limit, type Policy } from "@/lib/rate-limit";
import { recordChange, recordStatus, type ServiceChange } from "./events/changes";
import { claimHostname } from "./hostnames";
import {
  type CheckedService,
  checkService,
  type ServiceField,
  type ServiceInput,
  type ServiceRules,
} from "./service-input";
import { lockServices, settle } from "./settlement";
import { wishOf } from "./status";

/** A limit, because the API lists all services of an account without pages. */
export const MAX_SERVICES = 100;
/** In characters as people count them (code points). */
export const MAX_OFFLINE_TEXT = 120;

/** A limit, because every edge node fetches each change. */
const CHANGES: Policy = { name: "service-changes", limit: 30, windowMs: 10 * MINUTE };

const HOSTNAME_REFUSED = "Another service has this public hostname. Choose another one.";

type Refused = InvalidField<ServiceField | "offlineText" | "form">;

type CreateServiceResult =
  | { kind: "created"; id: number }
  /** This form has created the service before. */
  | { kind: "already-created"; id: number }
  | Refused;

export type ChangeServiceResult =
  | { kind: "changed"; configVersion: number }
  /** Nothing changed, the version included. */
  | { kind: "unchanged" }
  | { kind: "not-found" }
  /** A service that is being deleted can no longer be changed. */
  | { kind: "deleting" }
  | Refused;

/** Creates a service of the account, which waits for an edge node. `formNonce` is the one-use number of a form. */
export async function createService(
  accountId: number,
  { formNonce, ...input }: ServiceInput & { formNonce?: string },
  rules: ServiceRules,
  now: Date = databaseNow(),
): Promise<CreateServiceResult> {
  const checked = checkService(input, rules);
  if (checked.kind === "invalid") return checked;
  if (formNonce !== undefined && !isFormNonce(formNonce)) {
    return invalid("form", "This form is incomplete. Reload the page and try again.");
  }
  return undoingRefusals(async (tx) => {
    // Serializes additions to one account, so that the limit and the nonce are exact.
    await lockAccount(tx, accountId);
    if (formNonce !== undefined) {
      const earlier = await tx.gameService.findFirst({ where: { accountId, formNonce }, select: { id: true } });
      if (earlier) return { kind: "already-created", id: earlier.id };
    }
    if ((await tx.gameService.count({ where: { accountId } })) >= MAX_SERVICES) {
      return invalid("form", `An account can have ${MAX_SERVICES} game services. Delete one first.`);
    }
    const tooOften = await countChange(accountId);
    if (tooOften) return tooOften;
    const { id } = await tx.gameService.create({
      data: {
        accountId,
        ...checked.service,
        wish: "on",
        formNonce: formNonce ?? null,
        createdAt: now,
        updatedAt: now,
      } satisfies Prisma.GameServiceUncheckedCreateInput,
      select: { id: true },
    });
    if (!(await claimHostname(tx, id, checked.service.javaHostname, now)))
      return invalid("javaHostname", HOSTNAME_REFUSED);
    await recordStatus(tx, { id, accountId, status: "pending_config" }, now);
    await recordChange(tx, id, accountId, { kind: "created" }, now);
    return { kind: "created", id };
  });
}

/** Changes what a service of the account is. */
export async function editService(
  accountId: number,
  id: number,
  input: ServiceInput,
  rules: ServiceRules,
  now: Date = databaseNow(),
): Promise<ChangeServiceResult> {
  const checked = checkService(input, rules);
  if (checked.kind === "invalid") return checked;
  return change(accountId, id, now, checked.service);
}

/** Has edge nodes tell the origin of a service of the account the ips of players, or no longer. */
export async function setRealIps(
  accountId: number,
  id: number,
  sendsRealIps: boolean,
  now: Date = databaseNow(),
): Promise<ChangeServiceResult> {
  return change(accountId, id, now, { sendsRealIps });
}

/** Changes what players read while the origin of a service of the account is away. Left empty, edge nodes show a text of their own. */
export async function setOfflineText(
  accountId: number,
  id: number,
  input: string,
  now: Date = databaseNow(),
): Promise<ChangeServiceResult> {
  const text = normalName(input);
  const message = nameProblem("text", text, MAX_OFFLINE_TEXT);
  if (message !== null) return invalid("offlineText", message);
  return change(accountId, id, now, { offlineText: text === "" ? null : text });
}

/** Turns a service of the account on or off. */
export async function setServiceWish(
  accountId: number,
  id: number,
  wish: Exclude<ServiceWish, "gone">,
  now: Date = databaseNow(),
): Promise<ChangeServiceResult> {
  return change(accountId, id, now, { wish });
}

/** Makes the edge nodes apply an unchanged service again, because a failure may be over. */
export async function retryService(
  accountId: number,
  id: number,
  now: Date = databaseNow(),
): Promise<ChangeServiceResult> {
  return change(accountId, id, now, {});
}

/**
 * Requests the deletion of a service of the account. Its row stays until no edge node has the service. `typedName` must
 * be its name.
 */
export async function deleteService(
  accountId: number,
  id: number,
  typedName: string,
  now: Date = databaseNow(),
): Promise<ChangeServiceResult> {
  return change(accountId, id, now, { wish: "gone" }, typedName);
}

type Settings = CheckedService & { wish: ServiceWish; sendsRealIps: boolean; offlineText: string | null };

/** What the events of a service call its settings. */
const WORDS: Readonly<Record<Exclude<keyof Settings, "wish">, string>> = {
  name: "name",
  javaHostname: "public hostname",
  originHost: "origin",
  originPort: "origin",
  sendsRealIps: "ips of players",
  offlineText: "text while away",
};

/**
 * One change of one service: its version rises by one, and its status follows in the same transaction. With nothing
 * `wanted`, the nodes make another attempt. `typedName`, if given, must be the name of the service.
 */
async function change(
  accountId: number,
  id: number,
  now: Date,
  wanted: Partial<Settings>,
  typedName?: string,
): Promise<ChangeServiceResult> {
  return undoingRefusals(async (tx) => {
    await lockServices(tx, [id]);
    const row = await tx.gameService.findFirst({ where: { id, accountId } });
    if (!row) return { kind: "not-found" };
    const before: Settings = { ...row, wish: wishOf(row.wish, row.status) };
    if (before.wish === "gone") return { kind: "deleting" };
    if (typedName !== undefined && typedName.trim() !== before.name.trim()) {
      return invalid("name", "This is not the name of the service. Type it as it stands above.");
    }
    const names = Object.keys(wanted) as (keyof Settings)[];
    const changed = names.filter((name) => wanted[name] !== before[name]);
    if (names.length > 0 && changed.length === 0) return { kind: "unchanged" };
    if (wanted.javaHostname !== undefined && !(await claimHostname(tx, id, wanted.javaHostname, now))) {
      return invalid("javaHostname", HOSTNAME_REFUSED);
    }
    const tooOften = await countChange(accountId);
    if (tooOften) return tooOften;
    const data = { wish: before.wish, ...wanted, configVersion: { increment: 1 }, updatedAt: now };
    await tx.gameService.update({ where: { id }, data });
    await recordChange(tx, id, accountId, changeOf(changed, wanted.wish), now);
    await settle(tx, [id], now);
    return { kind: "changed", configVersion: row.configVersion + 1 };
  });
}

function changeOf(changed: readonly (keyof Settings)[], wish: ServiceWish | undefined): ServiceChange {
  if (wish !== undefined)
    return { kind: ({ on: "turned_on", off: "turned_off", gone: "deletion_asked" } as const)[wish] };
  const words = new Set(changed.flatMap((name) => (name === "wish" ? [] : WORDS[name])));
  return words.size > 0 ? { kind: "settings_changed", what: [...words].join(", ") } : { kind: "retried" };
}

/** Counts a change of the account, or refuses it when there were too many recently. */
async function countChange(accountId: number): Promise<InvalidField<"form"> | null> {
  const { accepted, waitMs } = await limit(CHANGES, String(accountId));
  if (accepted) return null;
  const minutes = counted(Math.max(1, Math.ceil(waitMs / MINUTE)), "minute");
  return invalid("form", `Game services of this account were changed very often just now. Try again in ${minutes}.`);
}

class Undone extends Error {
  constructor(readonly result: unknown) {
    super("undone");
  }
}

/** A transaction that rolls back when it ends in a refusal. */
async function undoingRefusals<Result extends { kind: string }>(
  run: (tx: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  try {
    return await db.$transaction(async (tx) => {
      const result = await run(tx);
      if (result.kind === "invalid") throw new Undone(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undone) return error.result as Result;
    throw error;
  }
}
