import { table } from "@/lib/database/tables";
import { NOTICE_KINDS, SHARED, type Subject } from "@/lib/notices/kinds";

// The tables of events, which have the same shape, and the tables of what they are about. Its account is told; of a game
// service also those that it is shared with, if they chose so.

const serverEvents = table("Event", "e");
const serviceEvents = table("ServiceEvent", "e");
const tokenEvents = table("TokenEvent", "e");
const servers = table("Server", "o");
const services = table("GameService", "o");
const tokens = table("AccessToken", "o");
const g = table("ServiceGrant", "g");
const t = table("NoticeSettings", "t");

/** Events are `e`, those that `is` says; what they are about is `o`; `of` is its id in the event. */
export const SOURCES = {
  server: {
    ...{ e: serverEvents, name: "events", of: serverEvents.subjectId, o: servers, label: servers.label },
    is: "e.subject = 'server'",
  },
  service: {
    e: serviceEvents,
    name: "service_events",
    of: serviceEvents.serviceId,
    o: services,
    label: services.name,
    is: "true",
  },
  token: { e: tokenEvents, name: "token_events", of: tokenEvents.tokenId, o: tokens, label: tokens.name, is: "true" },
} as const satisfies Record<Subject, unknown>;

export const SUBJECTS = Object.keys(SOURCES) as Subject[];

const quoted = (kinds: readonly string[]) => kinds.map((kind) => `'${kind}'`).join(", ");
/** SQL of the kinds of events that are read. */
export const CONSIDERED = quoted(Object.keys(NOTICE_KINDS));

/** SQL: an account with the settings `t` is told of what is shared with it. */
export const TELLS_SHARED = `${t.rules} @> '${JSON.stringify({ [SHARED]: { on: true } })}'`;

/** SQL: an account is told of `o`. */
export function isToldTo(accountId: string, subject: Subject): string {
  const { o } = SOURCES[subject];
  const isOwn = `${o.accountId} = ${accountId}`;
  if (subject !== "service") return isOwn;
  return `(${isOwn} or exists (select from ${g} join ${t} on ${t.accountId} = ${g.accountId}
    where ${g.serviceId} = ${o.id} and ${g.accountId} = ${accountId} and ${TELLS_SHARED}))`;
}

/** SQL for each subject, put together. */
export function ofEach(join: string, text: (source: (typeof SOURCES)[Subject], subject: Subject) => string): string {
  return SUBJECTS.map((subject) => text(SOURCES[subject], subject)).join(join);
}
