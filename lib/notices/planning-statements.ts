import { epochMs, parameter, select, statement } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";
import { DAY, HOUR } from "@/lib/format/time";
import { NOTICE_KINDS, type Subject } from "@/lib/notices/kinds";
import { REMIND_TOGETHER } from "@/lib/notices/rules";
import { CONSIDERED, isToldTo, ofEach, SOURCES, TELLS_SHARED } from "@/lib/notices/sources";
import { maintenanceBetween } from "@/lib/servers/events/maintenance-sql";

// The statements of the transaction that plans an account's notices, in the order in which it takes them.

/** Events of an account that one transaction considers. */
export const EVENTS_AT_ONCE = 2000;
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

/** SQL: the event goes on, of one thing. It is no `is null`, so that the index of ends is not taken. */
const GOES_ON = "coalesce(e.ended_at, 'infinity') = 'infinity'";
/** SQL: the incident was told, and goes on as far as is known. */
export const IS_TOLD = `${i.lookAt} is not null and ${i.toldAt} is not null and ${i.endedAt} is null and not ${i.isFlapping}`;
/** SQL: a message about the incident was sent, and its event has ended. */
const IS_OVER = `(${IS_TOLD} and not (${ofEach(
  " or ",
  ({ e, of, is }, subject) => `${i.subject} = '${subject}' and exists (
    select from ${e} where ${of} = ${i.subjectId} and ${is} and ${e.startedAt} >= ${i.startedAt} and ${GOES_ON}
      and ${e.kind} = ${i.kind})`,
)}))`;
/** SQL: the channel may be sent to. */
export const IS_ON = `${c.confirmedAt} is not null and ${c.offAt} is null`;

const accountId = a.id;
export const ids = parameter<readonly number[]>("int[]");

// Raw, because of "skip locked": another instance is at it.
export const MAKE_SETTINGS = statement({ accountId }, ({ accountId }) => ({
  sql: `insert into notice_settings (account_id) select ${a.id} from ${a} where ${a.id} = ${accountId} on conflict do nothing`,
}));
export const LOCK = statement({ accountId }, ({ accountId }) =>
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

export const MARKED = statement({ accountId }, ({ accountId }) => ({
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
        { e, of, o, is },
        subject,
      ) => `(select '${subject}' as subject, ${e.id} as id, ${of} as subject_id, ${e.kind} as kind,
          false as is_shared
        from ${e} join ${o} on ${o.id} = ${of} where ${e.noticeDue} and ${is} and ${o.accountId} = ${accountId}
        order by ${e.startedAt} limit ${EVENTS_AT_ONCE})`,
    )} union all (select 'service', ${e.id}, ${e.serviceId}, ${e.kind}, true
        from ${m} join ${e} on ${e.id} = ${m.eventId} where ${m.accountId} = ${accountId}
        order by ${e.startedAt} limit ${EVENTS_AT_ONCE})) m`,
  ),
}));

/** SQL: the kinds of events of game services that are reported. */
const KINDS_OF_SERVICES = Object.entries(NOTICE_KINDS)
  .flatMap(([kind, { subject }]) => (subject === "service" ? [`'${kind}'`] : []))
  .join(", ");
/** SQL: those that the services of the events `of_service` are shared with, and that want to be told, have them to consider now. */
export const PASS_ON = `insert into shared_service_events (account_id, event_id)
  select ${g.accountId}, ${e.id} from of_service e join ${o} on ${o.id} = ${e.serviceId}
    join ${g} on ${g.serviceId} = ${o.id} and ${g.accountId} <> ${o.accountId}
    join ${t} on ${t.accountId} = ${g.accountId} and ${TELLS_SHARED}
  where ${e.kind} in (${KINDS_OF_SERVICES})
    and exists (select from ${c} where ${c.accountId} = ${g.accountId} and ${IS_ON})
  on conflict do nothing`;

const MARKS = { accountId, server: ids, service: ids, token: ids, shared: ids };
export const CONSIDERED_ONES = statement(MARKS, ({ accountId, shared, ...marks }) => ({
  sql: `with ${ofEach(
    ", ",
    ({ e, name, of }, subject) =>
      `of_${subject} as (update ${name} as e set notice_due = false where ${e.id} = any(${marks[subject]}) and ${e.noticeDue}
        returning ${e.id}, ${of}, ${e.kind})`,
  )}, of_shared as (delete from ${m} where ${m.accountId} = ${accountId} and ${m.eventId} = any(${shared}))
  ${PASS_ON}`,
}));

const TOPIC = {
  subjects: parameter<readonly string[]>("text[]"),
  subjectIds: ids,
  kinds: parameter<readonly string[]>("text[]"),
};
export const INCIDENTS = statement({ accountId, ...TOPIC }, ({ accountId, subjects, subjectIds, kinds }) => ({
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
  const { e, of, o, is } = SOURCES[subject];
  return statement({ ids, accountId, since: parameter<Date>("timestamptz") }, ({ ids, accountId, since }) =>
    select(
      {
        id: o.id,
        ...SNOOZE,
        // Of servers alone, as snoozes are.
        maintenance: subject === "server" ? maintenanceBetween(o.id.sql, since, "'infinity'") : NO_MAINTENANCE,
        events: new Expression<StoredEvent[] | null>(`(
          select json_agg(json_build_array(e.id, e.kind, ${epochMs(e.startedAt)}, ${epochMs(e.endedAt)}) order by e.started_at) from (
            select * from ${e} where ${of} = ${o.id} and ${is} and ${e.kind} in (${CONSIDERED})
              and coalesce(${e.endedAt}, 'infinity') >= ${since}
            order by ${e.startedAt} desc limit ${EVENTS_OF_ONE}) e)`),
      },
      // Servers alone can be snoozed.
      `from ${o} left join ${z} on ${subject === "server"} and ${z.serverId} = ${o.id}
        where ${o.id} = any(${ids}) and ${isToldTo(accountId, subject)}`,
    ),
  );
};
export const EVENTS = { server: eventsOf("server"), service: eventsOf("service"), token: eventsOf("token") };

const date = parameter<readonly (Date | null)[]>("timestamptz[]");
export const ADD = statement(
  { accountId, ...TOPIC, starts: date, ends: date, looks: date },
  ({ accountId, subjects, subjectIds, kinds, starts, ends, looks }) => ({
    sql: `insert into notice_incidents (account_id, subject, subject_id, kind, started_at, ended_at, look_at)
      select ${accountId}, w.* from unnest(${subjects}, ${subjectIds}, ${kinds}, ${starts}, ${ends}, ${looks}) w
      on conflict do nothing`,
  }),
);
export const CHANGE = statement(
  { ids, starts: date, ends: date, told: date, flapping: parameter<readonly boolean[]>("boolean[]"), looks: date },
  ({ ids, starts, ends, told, flapping, looks }) => ({
    sql: `update ${i} set started_at = w.started_at, ended_at = w.ended_at, told_at = w.told_at, is_flapping = w.is_flapping,
        look_at = w.look_at
      from unnest(${ids}, ${starts}, ${ends}, ${told}, ${flapping}, ${looks})
        as w (id, started_at, ended_at, told_at, is_flapping, look_at) where ${i.id} = w.id`,
  }),
);
export const FORGET = statement({ ids }, ({ ids }) => ({ sql: `delete from ${i} where ${i.id} = any(${ids})` }));
export const LET_GO = statement({ accountId }, ({ accountId }) => ({
  sql: `with gone as (delete from ${i} where ${i.accountId} = ${accountId} and ${i.lookAt} is not null and ${i.toldAt} is null)
    update ${i} set look_at = null where ${i.accountId} = ${accountId} and ${i.lookAt} is not null and ${i.toldAt} is not null`,
}));

const uuid = parameter<string>("uuid");
export const MESSAGE = statement(
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
