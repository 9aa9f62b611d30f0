import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";
import type { Message, Outcome } from "@/lib/notices/message";
import { makeRows } from "@/lib/notices/rows";
import { type Deliver, Sending } from "@/lib/notices/sending";
import { newAccount, newServer, putEvents } from "./factories";
import { openSql } from "./run-sql";

// Notices in process: events go in as rows, the loop is asked to look, and what it hands to channels comes out. Time passes by moving
// the rows of one account back.

/** What a channel was handed, and the outcome that its test chose. */
export type Arrival = Message & { channelId: number };

/** Columns with times, by how the rows of ACCOUNT are found. What lies farther back is as if so much time had passed. */
const TIMES: readonly (readonly [table: string, columns: readonly string[], ofAccount: string])[] = [
  ["events", ["started_at", "ended_at"], "account_id = ACCOUNT"],
  ["server_snoozes", ["until"], "server_id in (select id from servers where account_id = ACCOUNT)"],
  ["maintenance_times", ["started_at", "ended_at"], "server_id in (select id from servers where account_id = ACCOUNT)"],
  ["notices", ["started_at", "ended_at", "due_at", "next_at", "settled_at"], "account_id = ACCOUNT"],
  ["notice_messages", ["next_at", "created_at", "ended_at"], "account_id = ACCOUNT"],
  ["notice_channels", ["leased_until", "held_until", "failing_since", "off_at"], "account_id = ACCOUNT"],
];

const { sql } = openSql(String(process.env.DATABASE_URL));

/** An account with a channel "a" that takes everything, and a loop that tells it. */
export async function newListener() {
  const { id: accountId } = await newAccount();
  const arrivals: Arrival[] = [];
  const answers = new Map<number, Outcome | (() => Promise<Outcome>)>();
  const own = new Set<number>();
  const addChannel = async (name: string, kind = "webhook", ofAccount = accountId) => {
    const data = { accountId: ofAccount, kind, name, confirmedAt: new Date() };
    const { id } = await db.noticeChannel.create({ data, select: { id: true } });
    own.add(id);
    return id;
  };
  const deliver: Deliver = async (channel, message) => {
    const { id: channelId } = channel;
    const chosen = answers.get(channelId) ?? { kind: "delivered" };
    const answer = typeof chosen === "function" ? await chosen() : chosen;
    const isTaken = answer.kind === "delivered" || (answer.kind === "again" && answer.arrived !== "no");
    // The loop sends what other tests have left as well.
    if (isTaken && own.has(channelId)) arrivals.push({ channelId, ...message });
    return answer;
  };
  const sending = new Sending(deliver);
  const channelId = await addChannel("a");
  const pass = async (ms: number, account = accountId) => {
    const moved = TIMES.map(([table, columns, of]) => {
      const set = columns.map((column) => `${column} = ${column} - interval '${Math.round(ms)} ms'`).join(", ");
      return `update ${table} set ${set} where ${of.replace("ACCOUNT", String(account))}`;
    });
    await sql(moved.join("; "));
  };
  const look = async () => {
    while (await makeRows());
    while ((await sending.send()) > 0) await sending.idle();
  };
  return {
    ...{ accountId, channelId, arrivals, answers, addChannel, sql, pass, look, sending },
    titles: (of: number = channelId) => arrivals.filter((one) => one.channelId === of).map(({ title }) => title),
    /** Time passes in steps, with a look before and after each. */
    async live(ms: number, step = 50 * SECOND) {
      await look();
      for (let passed = 0; passed < ms; passed += step) {
        await pass(Math.min(step, ms - passed));
        await look();
      }
    },
    addServer: async (label: string) => (await newServer(accountId, { label })).id,
    /** An outage from now on, or over so many minutes ago. */
    goOffline: (serverId: number, from = 0, to: number | null = null) =>
      putEvents(serverId, {
        kind: "offline",
        startedAt: new Date(Date.now() - from * MINUTE),
        endedAt: to === null ? null : new Date(Date.now() - to * MINUTE),
      }),
    comeBack: (serverId: number) =>
      sql(
        `update events set ended_at = now() where subject = 'server' and subject_id = ${serverId} and ended_at is null`,
      ),
    rows: () => db.notice.findMany({ where: { accountId }, orderBy: { id: "asc" } }),
  };
}

export type Listener = Awaited<ReturnType<typeof newListener>>;
