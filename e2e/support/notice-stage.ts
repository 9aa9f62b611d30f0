import { SECOND } from "@/lib/format/time";
import { expect } from "./fixtures";
import { letPass } from "./notice-time";
import { type Instance, type Receiver, startInstance, startReceiver } from "./notices-instance";
import { openSql, type Sql } from "./run-sql";
import { createTestDatabase, type TestDatabase } from "./test-database";

/** A database with somebody to tell, an instance that tells, and a receiver of what it sends. */
export type Stage = {
  url: string;
  receiver: Receiver;
  instance: Instance;
  sql: Sql;
  /** Time passes in steps of a few seconds of the loop, as long as nobody is away. */
  live: (ms: number, step?: number) => Promise<void>;
};

/** SQL: what became of each message, in the order in which they are due. */
export const DELIVERIES = `select d.id::text, d.state, d.reason, d.attempts, c.name as channel, n.kind, n.incidents, n.thread::text
  from notice_deliveries d join notices n on n.id = d.notice_id join notice_channels c on c.id = d.channel_id order by d.due_at, d.id`;

/** A database with an account, two servers, and a channel named "a". It is stopped at the end. */
export async function onStage(
  play: (stage: Stage) => Promise<void>,
  given?: Pick<TestDatabase, "url" | "stop">,
): Promise<void> {
  const database = given ?? (await createTestDatabase());
  const receiver = await startReceiver();
  const instance = await startInstance(database.url, receiver.url);
  const { sql, close } = openSql(database.url);
  try {
    await sql(`insert into accounts (name, email) values ('a', 'a@example.com'), ('b', 'b@example.com');
      insert into servers (account_id, label, hostname) values (1, 'web-1', 'h'), (1, 'web-2', 'h');
      insert into notice_channels (account_id, kind, name, confirmed_at) values (1, 'webhook', 'a', now())`);
    const live = async (ms: number, step = 30 * SECOND) => {
      for (let passed = 0; passed < ms; passed += step) {
        await letPass(sql, Math.min(step, ms - passed));
        expect(await instance.tick()).toBe(true);
      }
    };
    await play({ url: database.url, receiver, instance, sql, live });
  } finally {
    await instance.stop();
    await receiver.stop();
    await close();
    await database.stop();
  }
}

/** SQL: a server is offline from now on. */
export const goOffline = (server: number) =>
  `insert into events (subject, subject_id, kind, started_at) values ('server', ${server}, 'offline', now())`;
/** SQL: a server is no longer offline. */
export const comeBack = (server: number) =>
  `update events set ended_at = now() where subject_id = ${server} and ended_at is null`;
