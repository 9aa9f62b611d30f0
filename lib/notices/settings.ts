import { db, type Prisma } from "@/lib/database/client";
import { type InvalidField, invalid } from "@/lib/failures";
import { clockText } from "@/lib/format/relative-time";
import { MINUTE } from "@/lib/format/time";
import { zoneOrUtc } from "@/lib/format/time-zone";
import { LONGEST_DELAY, NOTICE_KINDS, RECOVERED, SHARED } from "@/lib/notices/kinds";

/** What an account chose, as its form shows it. Times are "22:00"; empty: no quiet hours. */
export type NoticeChoices = {
  /** By the kind of the event, `RECOVERED` and `SHARED`. */
  on: Readonly<Record<string, boolean>>;
  /** By the kind of the event, for those that last. */
  minutes: Readonly<Record<string, string>>;
  quietFrom: string;
  quietTo: string;
};

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** What the account chose, or what holds for everybody. */
export async function readChoices(accountId: number): Promise<NoticeChoices & { zone: string | null }> {
  const stored = await db.noticeSettings.findUnique({ where: { accountId } });
  const rules = (stored?.rules ?? {}) as Record<string, { on?: boolean; minutes?: number } | undefined>;
  const lasting = Object.entries(NOTICE_KINDS).filter(([, { lasts }]) => lasts);
  return {
    on: {
      ...Object.fromEntries([...Object.keys(NOTICE_KINDS), RECOVERED].map((kind) => [kind, rules[kind]?.on ?? true])),
      [SHARED]: rules[SHARED]?.on ?? false,
    },
    minutes: Object.fromEntries(lasting.map(([kind, { minutes }]) => [kind, String(rules[kind]?.minutes ?? minutes)])),
    quietFrom: clockOf(stored?.quietFrom ?? null),
    quietTo: clockOf(stored?.quietTo ?? null),
    zone: stored?.quietZone ?? null,
  };
}

type SaveChoices = { kind: "saved" } | InvalidField<string>;

/** Stores what the account chose. Quiet hours are in `zone`, an IANA name. The field is the kind whose delay is wrong, or "quiet". */
export async function saveChoices(accountId: number, choices: NoticeChoices, zone: string): Promise<SaveChoices> {
  const rules: Record<string, Prisma.InputJsonObject> = {
    [RECOVERED]: { on: choices.on[RECOVERED] === true },
    [SHARED]: { on: choices.on[SHARED] === true },
  };
  for (const [kind, { lasts }] of Object.entries(NOTICE_KINDS)) {
    const typed = choices.minutes[kind]?.trim() ?? "";
    const isSound = /^\d{1,4}$/.test(typed) && Number(typed) <= LONGEST_DELAY;
    if (lasts && !isSound) {
      return invalid(kind, `Type whole minutes, from 0 to ${LONGEST_DELAY}.`);
    }
    rules[kind] = { on: choices.on[kind] === true, ...(lasts && { minutes: Number(typed) }) };
  }
  const [quietFrom, quietTo] = [minutesOf(choices.quietFrom), minutesOf(choices.quietTo)];
  if (quietFrom === undefined || quietTo === undefined || (quietFrom === null) !== (quietTo === null)) {
    return invalid("quiet", "Quiet hours need both times, such as 22:00 and 07:00.");
  }
  if (quietFrom !== null && quietFrom === quietTo) {
    return invalid("quiet", "Quiet hours cannot end when they begin.");
  }
  const data = { rules, quietFrom, quietTo, quietZone: quietFrom === null ? null : zoneOrUtc(zone) };
  await db.$transaction([
    db.noticeSettings.upsert({ where: { accountId }, create: { accountId, ...data }, update: data }),
    // What waits for the end of quiet hours is looked at anew.
    db.noticeChannel.updateMany({ where: { accountId, heldFor: "quiet" }, data: { heldUntil: null } }),
  ]);
  return { kind: "saved" };
}

/** Minutes since midnight; null: none; undefined: no time of a day. */
function minutesOf(typed: string): number | null | undefined {
  if (typed === "") return null;
  const [, hours, minutes] = TIME.exec(typed) ?? [];
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes);
}

const clockOf = (minutes: number | null) => (minutes === null ? "" : clockText(new Date(minutes * MINUTE), "UTC"));
