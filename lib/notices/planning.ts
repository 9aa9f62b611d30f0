import { randomUUID } from "node:crypto";
import { db, type Prisma } from "@/lib/database/client";
import { execute, executeIn, query, queryIn } from "@/lib/database/run-statement";
import { epochMs, parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR, SECOND } from "@/lib/format/time";
import { NOTICE_KINDS, readRules, type Subject } from "@/lib/notices/kinds";
import { quietUntil } from "@/lib/notices/quiet-hours";
import { type Incident, type Plan, type PlannedMessage, plan, REMIND_TOGETHER, type Topic } from "@/lib/notices/rules";
import { type Happening, runsOf } from "@/lib/notices/runs";
import { CONSIDERED, isToldTo, ofEach, SILENT, SOURCES, SUBJECTS, TELLS_SHARED } from "@/lib/notices/sources";
import { maintenanceBetween } from "@/lib/servers/events/maintenance-sql";
import { SILENCE_KINDS } from "@/lib/servers/events/silence";

// Considers events for notices: in one transaction an account's new events lose their mark, and what they become is written to
// the outbox. Times are those of the database, since clocks of instances may be set. The events' own are the consoles'.

/** Accounts of one look, after which what is due is sent. The next look takes the others. */
export const ACCOUNTS_AT_ONCE = 20;
/** Events of an account that one transaction considers. */
const EVENTS_AT_ONCE = 2000;
/** A transaction that takes longer is undone, and tried again. One of 1,000 servers takes about a second. */
const PLAN_WITHIN = 30 * SECOND;
/** Events of one server that are read to know how it has been: the newest. */
const EVENTS_OF_ONE = 200;

const c = table("NoticeChannel", "c");
const a = table("Account", "a");
const i = table("NoticeIncident", "i");
const n = table("Notice", "n");
const t = table("NoticeSettings", "t");
const z = table("ServerSnooze", "z");
const e = table("ServiceEvent", "e");
const o = table("GameService", "o");
const g = table("ServiceGrant", "g");
const m = table("SharedServiceEvent", "m");

/** SQL: the event goes on, of one thing. As in silence-statements.ts, so that the index of ends is not taken. */
const GOES_ON = "coalesce(e.ended_at, 'infinity') = 'infinity'";
/** SQL: the incident was told, and goes on as far as is known. */
const IS_TOLD = `${i.lookAt} is not null and ${i.toldAt} is not null and ${i.endedAt} is null and not ${i.isFlapping}`;
/** SQL: the incident was told, and what it is of has ended. */
const IS_OVER = `(${IS_TOLD} and not (${ofEach(
  " or ",
  ({ e, of }, subject) => `${i.subject} = '${subject}' and exists (
    select from ${e} where ${of} = ${i.subjectId} and ${e.startedAt} >= ${i.startedAt} and ${GOES_ON}
      and (${e.kind} = ${i.kind} or ${i.kind} = 'offline' and ${e.kind} in (${SILENT})))`,
)}))`;
/** SQL: the channel may be sent to. */
const IS_ON = `${c.confirmedAt} is not null and ${c.offAt} is null`;

/**
 * SQL of the accounts that were told of what has ended: IS_OVER, for all of them at once. Told beginnings and events that go on
 * are each read once and put together by what they are about, since a look-up for each takes a second for ten thousand. A
 * look-up of those that are over follows: of a game service several accounts may be told.
 */
const TOLD_AND_OVER = `select ${i.accountId} from (
    select subject, subject_id, kind, coalesce(max(goes_on), '-infinity') as goes_on from (
      select ${i.subject}, ${i.subjectId}, ${i.kind}, ${i.startedAt} as told, null as goes_on from ${i} where ${IS_TOLD}
      union all ${ofEach(
        " union all ",
        ({ e, of }, subject) => `select '${subject}', ${of},
          case when ${e.kind} in (${SILENT}) then 'offline' else ${e.kind} end, null, ${e.startedAt} from ${e}
        where ${e.endedAt} is null and ${e.kind} in (${CONSIDERED}) and exists (select from ${i} where ${IS_TOLD})`,
      )}) one
    group by subject, subject_id, kind having max(told) > coalesce(max(goes_on), '-infinity')) ended
  join ${i} on ${i.subject} = ended.subject and ${i.subjectId} = ended.subject_id and ${i.kind} = ended.kind
    and ${i.startedAt} > ended.goes_on and ${IS_TOLD}`;

const accountId = a.id;
const int = parameter<number>("int");
const ids = parameter<readonly number[]>("int[]");

// Raw, because each part takes an index that holds little else.
const WORK = statement({ most: int, except: ids }, ({ most, except }) =>
  select(
    { accountId: new Expression<number>("w.account_id") },
    `from (
      ${ofEach(
        " union ",
        ({ e, of, o }) => `(select ${o.accountId} from ${e} join ${o} on ${o.id} = ${of} where ${e.noticeDue}
        and ${o.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})`,
      )}
      union (select ${m.accountId} from ${m} where ${m.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})
      union (select ${i.accountId} from ${i} where ${i.lookAt} <= now() and ${i.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})
      union (${TOLD_AND_OVER} and ${i.accountId} <> all(${except}) limit ${EVENTS_AT_ONCE})
    ) w order by random() limit ${most}`,
  ),
);

// Raw, because of "skip locked": another instance is at it.
const MAKE_SETTINGS = statement({ accountId }, ({ accountId }) => ({
  sql: `insert into notice_settings (account_id) select ${a.id} from ${a} where ${a.id} = ${accountId} on conflict do nothing`,
}));
const LOCK = statement({ accountId }, ({ accountId }) =>
  select(
    {
      rules: t.rules,
      quietFrom: t.quietFrom,
      quietTo: t.quietTo,
      quietZone: t.quietZone,
      now: new Expression<Date>("now()", "instant"),
      channels: new Expression<number[]>(`array(select ${c.id} from ${c} join ${a} on ${a.id} = ${c.accountId}
        where ${c.accountId} = ${accountId} and ${IS_ON} and ${a.disabledAt} is null)`),
      sent: new Expression<number[]>(`array(select ${epochMs(n.createdAt)} from ${n}
        where ${n.accountId} = ${accountId} and ${n.kind} <> 'test' and ${n.createdAt} > now() - interval '${HOUR} ms'
        order by ${n.createdAt})`),
    },
    // Weaker than "for update", so that events can be passed on to it meanwhile.
    `from ${t} where ${t.accountId} = ${accountId} for no key update of t skip locked`,
  ),
);

const MARKED = statement({ accountId }, ({ accountId }) => ({
  ...select(
    {
      subject: new Expression<Subject>("m.subject"),
      id: new Expression<number>("m.id"),
      subjectId: new Expression<number>("m.subject_id"),
      kind: new Expression<string>("m.kind"),
      isShared: new Expression<boolean>("m.is_shared"),
    },
    `from (${ofEach(
      " union all ",
      (
        { e, of, o },
        subject,
      ) => `(select '${subject}' as subject, ${e.id} as id, ${of} as subject_id, ${e.kind} as kind,
          false as is_shared
        from ${e} join ${o} on ${o.id} = ${of} where ${e.noticeDue} and ${o.accountId} = ${accountId}
        order by ${e.startedAt} limit ${EVENTS_AT_ONCE})`,
    )} union all (select 'service', ${e.id}, ${e.serviceId}, ${e.kind}, true
        from ${m} join ${e} on ${e.id} = ${m.eventId} where ${m.accountId} = ${accountId}
        order by ${e.startedAt} limit ${EVENTS_AT_ONCE})) m`,
  ),
}));
/** SQL of the kinds of events of game services that are told. */
const KINDS_OF_SERVICES = Object.entries(NOTICE_KINDS)
  .flatMap(([kind, { subject }]) => (subject === "service" ? [`'${kind}'`] : []))
  .join(", ");
/** SQL: those that the services of the events `of_service` are shared with, and that want to be told, have them to consider now. */
const PASS_ON = `insert into shared_service_events (account_id, event_id)
  select ${g.accountId}, ${e.id} from of_service e join ${o} on ${o.id} = ${e.serviceId}
    join ${g} on ${g.serviceId} = ${o.id} and ${g.accountId} <> ${o.accountId}
    join ${t} on ${t.accountId} = ${g.accountId} and ${TELLS_SHARED}
  where ${e.kind} in (${KINDS_OF_SERVICES})
    and exists (select from ${c} where ${c.accountId} = ${g.accountId} and ${IS_ON})
  on conflict do nothing`;

const MARKS = { accountId, server: ids, service: ids, token: ids, shared: ids };
const CONSIDERED_ONES = statement(MARKS, ({ accountId, shared, ...marks }) => ({
  sql: `with ${ofEach(
    ", ",
    ({ e, name, of }, subject) =>
      `of_${subject} as (update ${name} as e set notice_due = false where ${e.id} = any(${marks[subject]}) and ${e.noticeDue}
        returning ${e.id}, ${of}, ${e.kind})`,
  )}, of_shared as (delete from ${m} where ${m.accountId} = ${accountId} and ${m.eventId} = any(${shared}))
  ${PASS_ON}`,
}));

// Raw, because one statement takes the marks of all accounts that nobody tells anything.
const DISREGARD = statement({}, () => ({
  sql: `with ${ofEach(
    ", ",
    ({ e, name, of, o }, subject) => `of_${subject} as (
      update ${name} as e set notice_due = false where ${e.id} = any(array(
        select ${e.id} from ${e} join ${o} on ${o.id} = ${of} where ${e.noticeDue} and not exists (
          select from ${c} where ${c.accountId} = ${o.accountId} and ${IS_ON}) limit ${EVENTS_AT_ONCE} for update of e skip locked))
      returning ${e.id}, ${of}, ${e.kind})`,
  )} ${PASS_ON}`,
}));

const TOPIC = {
  subjects: parameter<readonly string[]>("text[]"),
  subjectIds: ids,
  kinds: parameter<readonly string[]>("text[]"),
};
const INCIDENTS = statement({ accountId, ...TOPIC }, ({ accountId, subjects, subjectIds, kinds }) => ({
  ...select(
    {
      id: i.id,
      subject: i.subject,
      subjectId: i.subjectId,
      kind: i.kind,
      from: i.startedAt,
      to: i.endedAt,
      toldAt: i.toldAt,
      toldIn: i.toldIn,
      isFlapping: i.isFlapping,
      lookAt: i.lookAt,
    },
    `from ${i} where ${i.accountId} = ${accountId}
      and (${i.subject}, ${i.subjectId}, ${i.kind}) in (
        select ${i.subject}, ${i.subjectId}, ${i.kind} from ${i} where ${i.accountId} = ${accountId}
          and ${i.lookAt} is not null and (${i.lookAt} <= now() + interval '${REMIND_TOGETHER} ms' or ${IS_OVER})
        union select * from unnest(${subjects}, ${subjectIds}, ${kinds}))
      and (${i.lookAt} is not null or ${i.toldAt} > now() - interval '${DAY} ms')
    order by ${i.startedAt}, ${i.id}`,
  ),
}));

const NO_MAINTENANCE: ReturnType<typeof maintenanceBetween> = new Expression("null");
type StoredEvent = readonly [id: number, kind: string, from: number, to: number | null];
const SNOOZE = {
  snoozedAt: new Expression<Date | null>(z.createdAt.sql, "instant"),
  snoozedUntil: new Expression<Date | null>(z.until.sql, "instant"),
};
const eventsOf = (subject: Subject) => {
  const { e, of, o } = SOURCES[subject];
  return statement({ ids, accountId }, ({ ids, accountId }) =>
    select(
      {
        id: o.id,
        ...SNOOZE,
        // Of servers alone, as snoozes are.
        maintenance:
          subject === "server"
            ? maintenanceBetween(o.id.sql, `now() - interval '${2 * DAY} ms'`, "'infinity'")
            : NO_MAINTENANCE,
        events: new Expression<StoredEvent[] | null>(`(
          select json_agg(json_build_array(e.id, e.kind, ${epochMs(e.startedAt)}, ${epochMs(e.endedAt)}) order by e.started_at) from (
            select * from ${e} where ${of} = ${o.id} and ${e.kind} in (${CONSIDERED})
              and coalesce(${e.endedAt}, 'infinity') > now() - interval '${2 * DAY} ms'
            order by ${e.startedAt} desc limit ${EVENTS_OF_ONE}) e)`),
      },
      // Servers alone can be snoozed.
      `from ${o} left join ${z} on ${subject === "server"} and ${z.serverId} = ${o.id}
        where ${o.id} = any(${ids}) and ${isToldTo(accountId, subject)}`,
    ),
  );
};
const EVENTS = { server: eventsOf("server"), service: eventsOf("service"), token: eventsOf("token") };

const date = parameter<readonly (Date | null)[]>("timestamptz[]");
const ADD = statement(
  { accountId, ...TOPIC, starts: date, ends: date, looks: date },
  ({ accountId, subjects, subjectIds, kinds, starts, ends, looks }) => ({
    sql: `insert into notice_incidents (account_id, subject, subject_id, kind, started_at, ended_at, look_at)
      select ${accountId}, w.* from unnest(${subjects}, ${subjectIds}, ${kinds}, ${starts}, ${ends}, ${looks}) w
      on conflict do nothing`,
  }),
);
const CHANGE = statement(
  { ids, starts: date, ends: date, told: date, flapping: parameter<readonly boolean[]>("boolean[]"), looks: date },
  ({ ids, starts, ends, told, flapping, looks }) => ({
    sql: `update ${i} set started_at = w.started_at, ended_at = w.ended_at, told_at = w.told_at, is_flapping = w.is_flapping,
        look_at = w.look_at
      from unnest(${ids}, ${starts}, ${ends}, ${told}, ${flapping}, ${looks})
        as w (id, started_at, ended_at, told_at, is_flapping, look_at) where ${i.id} = w.id`,
  }),
);
const FORGET = statement({ ids }, ({ ids }) => ({ sql: `delete from ${i} where ${i.id} = any(${ids})` }));
const LET_GO = statement({ accountId }, ({ accountId }) => ({
  sql: `with gone as (delete from ${i} where ${i.accountId} = ${accountId} and ${i.lookAt} is not null and ${i.toldAt} is null)
    update ${i} set look_at = null where ${i.accountId} = ${accountId} and ${i.lookAt} is not null and ${i.toldAt} is not null`,
}));

const uuid = parameter<string>("uuid");
const MESSAGE = statement(
  { id: uuid, accountId, kind: n.kind, thread: uuid, ids, facts: parameter<string>("jsonb"), channels: ids },
  ({ id, accountId, kind, thread, ids, facts, channels }) => ({
    // An end is sent to the channels that are sent its beginning.
    sql: `with made as (
        insert into notices (id, account_id, kind, thread, incidents, facts)
        values (${id}, ${accountId}, ${kind}, ${thread}, ${ids}, ${facts}) returning id, account_id, kind),
      told as (update ${i} set told_in = made.id from made where made.kind = 'begun' and ${i.id} = any(${ids}))
    insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at)
      select made.id, channel, made.account_id, now(), now() from made, unnest(${channels}) channel
      where made.kind <> 'ended' or exists (
        select from notice_deliveries before join ${i} on before.notice_id = ${i.toldIn}
        where ${i.id} = any(${ids}) and before.channel_id = channel)`,
  }),
);

/**
 * Takes the marks of events whose owners have no channel: they are told of what begins later. Who they are shared with has
 * them to consider then.
 */
export async function disregardUntold(): Promise<void> {
  await execute(DISREGARD, {});
}

/** Accounts with new events, or with something that may have to be told now, without those that are set aside. */
export async function findAccountsWithWork(except: readonly number[] = []): Promise<number[]> {
  const found = await query(WORK, { most: ACCOUNTS_AT_ONCE, except });
  return found.map(({ accountId }) => accountId);
}

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
      const found = marked.map(({ subject, subjectId, kind }) => ({ subject, subjectId, kind: topicKind(kind) }));
      const stored = await queryIn(tx, INCIDENTS, { accountId, ...columnsOfTopics(found) });
      const incidents = stored.map(({ subject, subjectId, ...one }) => ({
        ...one,
        topic: keyOf(subject as Subject, subjectId, one.kind),
      }));
      const topics = await readTopics(tx, accountId, [...found, ...incidents.map(({ topic }) => topicOfKey(topic))], {
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
  accountId: number,
  wanted: readonly TopicName[],
  isNew: Readonly<Record<Subject, ReadonlySet<number>>>,
): Promise<Topic[]> {
  const known = new Map<string, Pick<Topic, "snooze" | "maintenance"> & { events: Happening[] }>();
  for (const subject of SUBJECTS) {
    const ids = [...new Set(wanted.filter((one) => one.subject === subject).map(({ subjectId }) => subjectId))];
    if (ids.length === 0) continue;
    for (const { id, events, snoozedAt, snoozedUntil, maintenance } of await queryIn(tx, EVENTS[subject], {
      ids,
      accountId,
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
export type NoticeFacts = { heldBackUntil?: number | null; flapping?: number[] };
/** More that come and go at once are told as any others. */
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

/** All kinds of silence are one topic. */
function topicKind(kind: string): string {
  return (SILENCE_KINDS as readonly string[]).includes(kind) ? "offline" : kind;
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
