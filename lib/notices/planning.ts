import { randomUUID } from "node:crypto";
import { db, type Prisma } from "@/lib/database/client";
import { executeIn, queryIn } from "@/lib/database/run-statement";
import { DAY, SECOND } from "@/lib/format/time";
import { readRules, type Subject } from "@/lib/notices/kinds";
import {
  ADD,
  CHANGE,
  CONSIDERED_ONES,
  EVENTS,
  FORGET,
  INCIDENTS,
  LET_GO,
  LOCK,
  MAKE_SETTINGS,
  MARKED,
  MESSAGE,
} from "@/lib/notices/planning-statements";
import { quietUntil } from "@/lib/notices/quiet-hours";
import { type Incident, type Plan, type PlannedMessage, plan, type Topic } from "@/lib/notices/rules";
import { type Happening, runsOf } from "@/lib/notices/runs";
import { SUBJECTS } from "@/lib/notices/sources";

// Considers events for notices: in one transaction an account's new events lose their mark, and what they become is written to
// the outbox. Times are those of the database, since clocks of instances may be set. The events' own are the consoles'.

/** A transaction that takes longer is undone, and tried again. One of 1,000 servers takes about a second. */
const PLAN_WITHIN = 30 * SECOND;

/**
 * Decides what an account is told. One transaction: it is cut off as a whole or not at all. False: another instance is at it.
 */
export function planAccount(accountId: number): Promise<boolean> {
  return db.$transaction(
    async (tx) => {
      await executeIn(tx, MAKE_SETTINGS, { accountId });
      const [settings] = await queryIn(tx, LOCK, { accountId });
      if (!settings) return false;
      const marked = await queryIn(tx, MARKED, { accountId });
      const idsOf = (of: readonly (typeof marked)[number][], subject: Subject) =>
        of.filter((one) => one.subject === subject).map(({ id }) => id);
      const own = marked.filter(({ isShared }) => !isShared);
      await executeIn(tx, CONSIDERED_ONES, {
        accountId,
        server: idsOf(own, "server"),
        service: idsOf(own, "service"),
        token: idsOf(own, "token"),
        shared: marked.filter(({ isShared }) => isShared).map(({ id }) => id),
      });
      if (settings.channels.length === 0) {
        await executeIn(tx, LET_GO, { accountId });
        return true;
      }
      const found = marked.map(({ subject, subjectId, kind }) => ({ subject, subjectId, kind }));
      const stored = await queryIn(tx, INCIDENTS, { accountId, ...columnsOfTopics(found) });
      const incidents = stored.map(({ subject, subjectId, ...one }) => ({
        ...one,
        topic: keyOf(subject as Subject, subjectId, one.kind),
      }));
      // What was told may have ended long ago, while no instance ran.
      const goingOn = incidents.flatMap(({ from, to, lookAt }) => (to === null && lookAt !== null ? [from] : []));
      const since = new Date(Math.min(settings.now - 2 * DAY, ...goingOn));
      const wanted = [...found, ...incidents.map(({ topic }) => topicOfKey(topic))];
      const topics = await readTopics(tx, { accountId, since }, wanted, {
        server: new Set(idsOf(marked, "server")),
        service: new Set(idsOf(marked, "service")),
        token: new Set(idsOf(marked, "token")),
      });
      const decided = plan({
        now: settings.now,
        rules: readRules(settings.rules),
        quietUntil: quietUntil(settings),
        sent: settings.sent.map(Number),
        incidents,
        topics,
      });
      await write(tx, accountId, decided, settings.channels);
      return true;
    },
    { timeout: PLAN_WITHIN },
  );
}

async function readTopics(
  tx: Prisma.TransactionClient,
  from: { accountId: number; since: Date },
  wanted: readonly TopicName[],
  isNew: Readonly<Record<Subject, ReadonlySet<number>>>,
): Promise<Topic[]> {
  const known = new Map<string, Pick<Topic, "snooze" | "maintenance"> & { events: Happening[] }>();
  for (const subject of SUBJECTS) {
    const ids = [...new Set(wanted.filter((one) => one.subject === subject).map(({ subjectId }) => subjectId))];
    if (ids.length === 0) continue;
    for (const { id, events, snoozedAt, snoozedUntil, maintenance } of await queryIn(tx, EVENTS[subject], {
      ids,
      ...from,
    })) {
      known.set(`${subject}:${id}`, {
        events: (events ?? []).map(([id, kind, from, to]) => ({ kind, from, to, isNew: isNew[subject].has(id) })),
        snooze: snoozedAt === null ? null : { at: snoozedAt, until: snoozedUntil },
        maintenance: (maintenance ?? []).map(([from, to]) => ({ from, to })),
      });
    }
  }
  const keys = new Set(wanted.map(({ subject, subjectId, kind }) => keyOf(subject, subjectId, kind)));
  return [...keys].map((key): Topic => {
    const { subject, subjectId, kind } = topicOfKey(key);
    // Of what is gone, or no longer shared with the account, nothing more is known.
    const { events = [], snooze = null, maintenance = [] } = known.get(`${subject}:${subjectId}`) ?? {};
    return { key, kind, runs: runsOf(kind, events), snooze, maintenance };
  });
}

async function write(tx: Prisma.TransactionClient, accountId: number, decided: Plan, channels: readonly number[]) {
  const { added, changed, forgotten, messages } = decided;
  if (added.length > 0) {
    const of = columnsOfTopics(added.map(({ topic }) => topicOfKey(topic)));
    await executeIn(tx, ADD, { accountId, ...of, ...timesOf(added) });
  }
  if (changed.length > 0) {
    await executeIn(tx, CHANGE, {
      ids: changed.map(({ id }) => id),
      told: changed.map(({ toldAt }) => dateOf(toldAt)),
      flapping: changed.map(({ isFlapping }) => isFlapping),
      ...timesOf(changed),
    });
  }
  if (forgotten.length > 0) await executeIn(tx, FORGET, { ids: forgotten.map(({ id }) => id) });
  for (const message of messages) await writeMessage(tx, accountId, message, channels);
}

/** What a message tells besides its incidents. */
export type NoticeFacts = { heldBackUntil?: number | null; flapping?: number[]; unsent?: Unsent | null };
/** Of a channel: how many messages were not sent because too many waited, and between when they were due (epoch ms). */
export type Unsent = { count: number; from: number; to: number };
/** When more come and go at once, they are reported like any others. */
const MOST_FLAPPING = 50;

async function writeMessage(
  tx: Prisma.TransactionClient,
  accountId: number,
  { kind, incidents, thread, heldBackUntil }: PlannedMessage,
  channels: readonly number[],
): Promise<void> {
  const id = randomUUID();
  const flapping = kind === "begun" ? incidents.filter(({ isFlapping }) => isFlapping).map(({ id }) => id) : [];
  const facts: NoticeFacts = { heldBackUntil, flapping: flapping.slice(0, MOST_FLAPPING) };
  const ids = incidents.map((one) => one.id);
  const written = { id, accountId, kind, thread: thread ?? id, ids, facts: JSON.stringify(facts), channels };
  await executeIn(tx, MESSAGE, written);
}

type TopicName = { subject: Subject; subjectId: number; kind: string };

function keyOf(subject: Subject, subjectId: number, kind: string): string {
  return `${subject}:${subjectId}:${kind}`;
}

function topicOfKey(key: string): TopicName {
  const [subject = "", id = "", kind = ""] = key.split(":");
  return { subject: subject as Subject, subjectId: Number(id), kind };
}

function columnsOfTopics(topics: readonly TopicName[]) {
  return {
    subjects: topics.map(({ subject }) => subject),
    subjectIds: topics.map(({ subjectId }) => subjectId),
    kinds: topics.map(({ kind }) => kind),
  };
}

function timesOf(incidents: readonly Pick<Incident, "from" | "to" | "lookAt">[]) {
  return {
    starts: incidents.map(({ from }) => new Date(from)),
    ends: incidents.map(({ to }) => dateOf(to)),
    looks: incidents.map(({ lookAt }) => dateOf(lookAt)),
  };
}

function dateOf(at: number | null): Date | null {
  return at === null ? null : new Date(at);
}
