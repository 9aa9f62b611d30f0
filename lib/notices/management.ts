import { randomBytes } from "node:crypto";
import { db, type Prisma } from "@/lib/database/client";
import { lockAccount } from "@/lib/database/locks";
import { query } from "@/lib/database/run-statement";
import { epochMs, parameter, type Sql, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { type InvalidField, invalid } from "@/lib/failures";
import { nameProblem, normalName } from "@/lib/format/names";
import { SECOND } from "@/lib/format/time";
import { isFormNonce } from "@/lib/http/form-fields";
import { checkAddress, hostOf } from "@/lib/notices/channels/address-guard";
import { openChannel, type SealedChannel } from "@/lib/notices/channels/deliver";
import { isOfServer } from "@/lib/notices/channels/mail";
import { mintWebhookSecret } from "@/lib/notices/channels/webhook";
import { askForConfirmation } from "@/lib/notices/confirmation";
import { checkEmail } from "@/lib/notices/email";
import { CHANNEL_NAMES, type ChannelKind, findKind, MAX_CHANNEL_NAME } from "@/lib/notices/kinds";
import { keyId, SealedTextError, seal } from "@/lib/notices/secrets";
import { env } from "@/lib/process/env";
import { hashToken } from "@/lib/tokens/format";

/** The most channels of an account. */
export const MAX_CHANNELS = 20;
/** How many messages of a channel are listed. */
const MAX_LISTED = 10;
const KEY_BYTES = 32;
/** A secret that is replaced again within this time is not kept, in milliseconds. */
const DOUBLE_CLICK = 10 * SECOND;
/** Channels that are encrypted anew in one step. */
const RESEALED_AT_ONCE = 100;

export const CHANNEL_KINDS = Object.keys(CHANNEL_NAMES) as ChannelKind[];

/** What this console can send, by its settings. */
export function sendableKinds(): readonly ChannelKind[] {
  if (env.noticeKeys.length === 0) return [];
  return env.mail ? CHANNEL_KINDS : CHANNEL_KINDS.filter((kind) => kind !== "mail");
}

const n = table("Notice", "n");
const m = table("NoticeMessage", "m");

/** A message, or what was dropped: then `kind` is that of one of these, and `title` its name. `at`: epoch milliseconds. */
type Last = {
  id: string;
  state: string;
  title: string | null;
  kind: string | null;
  count: number;
  at: number;
  reason: string | null;
};

// What was sent, and what was told to nobody: of the latter what ended together is one line.
const LAST = statement(
  { channelId: parameter<number>("int") },
  ({ channelId }): Sql<Last> => ({
    sql: `select id, state, title, kind, count, ${epochMs("at")} as at, reason from (
      (select ${m.id}::text as id, ${m.state}, left(${m.content} ->> 'title', 200) as title, null as kind, 1 as count,
        coalesce(${m.endedAt}, ${m.createdAt}) as at, ${m.reason}
      from ${m} where ${m.channelId} = ${channelId} order by ${m.createdAt} desc limit ${MAX_LISTED})
      union all (select min(${n.id})::text, ${n.state}, min(${n.name}), min(${n.kind}), count(*)::int, ${n.settledAt}, ${n.reason}
      from ${n} where ${n.channelId} = ${channelId} and ${n.state} = 'dropped'
      group by ${n.state}, ${n.settledAt}, ${n.reason} order by ${n.settledAt} desc limit ${MAX_LISTED})) d
    order by d.at desc, id limit ${MAX_LISTED}`,
  }),
);

/** The channels of the account, the oldest first, with what waits there and what became of the last messages. */
export async function listChannels(accountId: number) {
  const rows = await db.noticeChannel.findMany({ where: { accountId }, orderBy: { id: "asc" } });
  const waiting = await db.notice.groupBy({
    by: ["channelId", "waitsFor"],
    where: { channelId: { in: rows.map(({ id }) => id) }, state: "due", messageId: null },
    _count: true,
    _min: { nextAt: true },
    orderBy: { waitsFor: { sort: "asc", nulls: "first" } },
  });
  return Promise.all(
    rows.map(async ({ sealed, ...row }) => ({
      ...row,
      isLost: isLost(sealed),
      failsAtServer: row.offReason !== null && isOfServer(row.offReason),
      waiting: waiting.filter(({ channelId }) => channelId === row.id),
      last: (await query(LAST, { channelId: row.id })).map((one) => ({ ...one, title: titleOf(one) })),
    })),
  );
}

/**
 * A channel without what it keeps secret. `isLost`: this console has no key that opens it. `failsAtServer`: what failed last is the
 * operator's mail server. Times in epoch milliseconds.
 */
export type Channel = Awaited<ReturnType<typeof listChannels>>[number];

function titleOf({ title, kind, count }: Last): string {
  if (kind === null) return title ?? "";
  return count > 1 ? `${count} notices` : `${title} ${findKind(kind)?.words.is ?? ""}`;
}

/** Why mail to these channels does not leave the console at the moment: its mail server fails. Null: nothing says so. */
export function mailFailure(channels: readonly Channel[]): string | null {
  const fails = ({ kind, offAt, failingSince, failsAtServer }: Channel) =>
    kind === "mail" && offAt === null && failingSince !== null && failsAtServer;
  return channels.find(fails)?.offReason ?? null;
}

type NewChannel = { kind: ChannelKind; name: string; target: string; formNonce: string };

type CreateChannelResult =
  /** `secret`: of a webhook, for its owner's eyes only; it is never shown again. */
  | { kind: "created"; id: number; name: string; secret: string | null }
  | { kind: "already-created" }
  | InvalidField<"name" | "target" | "form">;

/** Adds a channel. One of mail is told nothing until its address is confirmed, for which a mail goes out. */
export async function createChannel(accountId: number, input: NewChannel): Promise<CreateChannelResult> {
  const { kind, formNonce } = input;
  if (!sendableKinds().includes(kind)) return invalid("form", "This console does not send by this channel.");
  if (!isFormNonce(formNonce)) return invalid("form", "This form is incomplete. Reload the page and try again.");
  const target = kind === "mail" ? checkEmail(input.target) : checkAddress(input.target, env.allowPrivateWebhooks);
  if (target.kind === "invalid") return { ...target, field: "target" };
  const shown = "email" in target ? target.email : hostOf(target.url);
  const checked = checkName(input.name, shown);
  if (checked.kind === "invalid") return checked;
  const secret = kind === "webhook" ? mintWebhookSecret() : null;
  const unsubscribe = randomBytes(KEY_BYTES).toString("base64url");
  const sealed: SealedChannel =
    "email" in target ? { unsubscribe } : { url: target.url.href, ...(secret !== null && { secrets: [secret] }) };
  const now = new Date();
  const result = await db.$transaction(async (tx): Promise<CreateChannelResult> => {
    // Additions to one account wait for each other here, so that the limit and the nonce are exact.
    await lockAccount(tx, accountId);
    if ((await tx.noticeChannel.count({ where: { accountId, formNonce } })) > 0) return { kind: "already-created" };
    if ((await tx.noticeChannel.count({ where: { accountId } })) >= MAX_CHANNELS) {
      return invalid("form", `An account can have ${MAX_CHANNELS} channels. Remove one first.`);
    }
    const { id } = await tx.noticeChannel.create({
      data: {
        accountId,
        kind,
        name: checked.name,
        sealed: seal(JSON.stringify(sealed), accountId, env.noticeKeys),
        formNonce,
        ...("email" in target
          ? { email: target.email, unsubscribeHash: hashToken(unsubscribe) }
          : { host: shown, confirmedAt: now }),
      } satisfies Prisma.NoticeChannelUncheckedCreateInput,
      select: { id: true },
    });
    return { kind: "created", id, name: checked.name, secret };
  });
  if (result.kind === "created" && kind === "mail") await askForConfirmation(accountId, result.id, now);
  return result;
}

/** Gives a channel another name. */
export async function renameChannel(
  accountId: number,
  id: number,
  typed: string,
): Promise<{ kind: "renamed" } | { kind: "not-found" } | InvalidField<"name">> {
  const checked = checkName(typed, "");
  if (checked.kind === "invalid") return checked;
  const { count } = await db.noticeChannel.updateMany({ where: { id, accountId }, data: { name: checked.name } });
  return { kind: count > 0 ? "renamed" : "not-found" };
}

/** Removes a channel with what is on its way to it. False: there is none. */
export async function removeChannel(accountId: number, id: number): Promise<boolean> {
  return (await db.noticeChannel.deleteMany({ where: { id, accountId } })).count > 0;
}

/** Turns a channel on or off, also one that the console turned off. */
export async function switchChannel(accountId: number, id: number, isOn: boolean): Promise<void> {
  await db.noticeChannel.updateMany({
    where: { id, accountId, offAt: isOn ? { not: null } : null },
    data: isOn
      ? { offAt: null, offReason: null, failingSince: null }
      : { offAt: new Date(), offReason: "You turned it off." },
  });
}

/**
 * Gives a webhook a new secret. Messages carry signatures of it and of the one before, until `endOldSecret`. Returns the new
 * one, for its owner's eyes only; null: there is no such webhook.
 */
export async function rotateSecret(accountId: number, id: number, now: number = Date.now()): Promise<string | null> {
  const secret = mintWebhookSecret();
  const isDone = await changeSecrets(accountId, id, ({ secrets = [], rotatedAt = 0 }) => ({
    // A double click keeps the receiver's secret and replaces the first new one, which was never shown.
    secrets: [secret, ...(now - rotatedAt < DOUBLE_CLICK ? secrets.slice(1) : secrets.slice(0, 1))],
    rotatedAt: now,
  }));
  return isDone ? secret : null;
}

/** From now on messages of a webhook are signed with its newest secret alone. False: there is no such webhook. */
export async function endOldSecret(accountId: number, id: number): Promise<boolean> {
  return changeSecrets(accountId, id, ({ secrets = [] }) => ({ secrets: secrets.slice(0, 1), rotatedAt: 0 }));
}

function isLost(sealed: string | null): boolean {
  return sealed !== null && !env.noticeKeys.some((key) => sealed.split(".")[1] === keyId(key));
}

type Secrets = Pick<SealedChannel, "secrets" | "rotatedAt">;

async function changeSecrets(accountId: number, id: number, change: (before: Secrets) => Secrets): Promise<boolean> {
  return db.$transaction(async (tx) => {
    await lockAccount(tx, accountId);
    const where = { id, accountId, kind: "webhook" };
    const channel = await tx.noticeChannel.findFirst({ where, select: { accountId: true, sealed: true } });
    if (!channel || isLost(channel.sealed)) return false;
    const before = openChannel(channel);
    const after: SealedChannel = { ...before, ...change(before) };
    const sealed = seal(JSON.stringify(after), accountId, env.noticeKeys);
    await tx.noticeChannel.update({ where: { id }, data: { sealed } });
    return true;
  });
}

/**
 * Encrypts with the first key of NOTICE_KEY what was encrypted with another one. `left`: what no key of it opens. When it is
 * 0 on a console that has started, the old key can go.
 */
export async function resealChannels(): Promise<{ resealed: number; left: number }> {
  const [key] = env.noticeKeys;
  const ofOldKey = { sealed: { not: null }, ...(key && { NOT: { sealed: { contains: `.${keyId(key)}.` } } }) };
  let [resealed, left, after] = [0, 0, 0];
  for (;;) {
    const channels = await db.noticeChannel.findMany({
      where: { id: { gt: after }, ...ofOldKey },
      select: { id: true, accountId: true, sealed: true },
      orderBy: { id: "asc" },
      take: RESEALED_AT_ONCE,
    });
    for (const { id, accountId, sealed } of channels) {
      after = id;
      try {
        const text = JSON.stringify(openChannel({ accountId, sealed }));
        // Only what was read: somebody may have given it a new secret meanwhile.
        const data = { sealed: seal(text, accountId, env.noticeKeys) };
        resealed += (await db.noticeChannel.updateMany({ where: { id, sealed }, data })).count;
      } catch (error) {
        if (!(error instanceof SealedTextError)) throw error;
        left++;
      }
    }
    if (channels.length < RESEALED_AT_ONCE) return { resealed, left };
  }
}

function checkName(typed: string, otherwise: string): { kind: "valid"; name: string } | InvalidField<"name"> {
  const name = normalName(typed) || [...otherwise].slice(0, MAX_CHANNEL_NAME).join("");
  const problem = name === "" ? "Give the channel a name." : nameProblem("name", name, MAX_CHANNEL_NAME);
  return problem === null ? { kind: "valid", name } : invalid("name", problem);
}
