import { randomBytes } from "node:crypto";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { SLOW } from "@/e2e/support/patience";
import { bundled, startReadyProcess } from "@/e2e/support/ready-process";
import { startMailServer, startReceiver } from "@/e2e/support/receivers";
import { openSql, type Sql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { SECOND } from "@/lib/format/time";
import { seal } from "@/lib/notices/secrets";

// Notices on a database of their own, with receivers of real HTTP and SMTP.

const KEY = randomBytes(32);
/** A console that may send to receivers of the test. */
const WITH_KEY = { NOTICE_KEY: KEY.toString("base64"), PRIVATE_WEBHOOKS: "allow" };

/** SQL: an account has a webhook, or mail, of this name that leads there. */
function addChannel(account: number, name: string, to: string): string {
  const isMail = to.includes("@");
  const secret = isMail ? { unsubscribe: "k" } : { url: to, secrets: [`whsec_${randomBytes(24).toString("base64")}`] };
  const sealed = seal(JSON.stringify(secret), account, [KEY]);
  return `insert into notice_channels (account_id, kind, name, host, email, confirmed_at, sealed) values
    (${account}, '${isMail ? "mail" : "webhook"}', '${name}', ${isMail ? "null" : "'127.0.0.1'"}, ${isMail ? `'${to}'` : "null"}, now(), '${sealed}')`;
}

/** A database with two accounts, the first of which has two servers. */
async function onDatabase(play: (stage: { url: string; sql: Sql }) => Promise<void>): Promise<void> {
  const database = await createTestDatabase();
  const { sql, close } = openSql(database.url);
  try {
    await sql(`insert into accounts (name, email) values ('a', 'a@example.com'), ('b', 'b@example.com');
      insert into servers (account_id, label, hostname) values (1, 'web-1', 'h'), (1, 'web-2', 'h')`);
    await play({ url: database.url, sql });
  } finally {
    await close();
    await database.stop();
  }
}

test("npm run console -- notices test EMAIL tests each channel and reports failures", async () => {
  await onDatabase(async ({ sql, url }) => {
    const [working, broken] = [await startReceiver(), await startReceiver(500)];
    const variables = { DATABASE_URL: url, ...WITH_KEY };
    try {
      await sql(addChannel(1, "a", working.url));
      await sql(
        "insert into notice_channels (account_id, kind, name, confirmed_at, off_at) values (1, 'webhook', 'off', now(), now())",
      );
      const good = await command(["console", "notices", "test", "a@example.com"], variables);
      expect([good.code, working.received.length], good.stderr).toEqual([0, 1]);
      expect(good.stdout).toMatch(/^channel +address +test\na +127\.0\.0\.1 +delivered\n$/);
      await sql(addChannel(1, "b", broken.url));
      const bad = await command(["console", "notices", "test", "a@example.com"], variables);
      expect([bad.code, working.received.length, broken.received.length]).toEqual([1, 2, 1]);
      expect(bad.stdout).toMatch(/\nb +127\.0\.0\.1 +failed: .*500/);
      expect(bad.stderr).toContain("1 of 2 failed.");
      const none = await command(["console", "notices", "test", "b@example.com"], variables);
      expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("This account has no channel that is on")]);
    } finally {
      await working.stop();
      await broken.stop();
    }
  });
});

test("/ops/metrics counts notices due, their age, and messages delivered and given up", async () => {
  await onDatabase(async ({ sql, url }) => {
    const [working, gone, opsPort] = [await startReceiver(), await startReceiver(410), await freePort()];
    const app = await startConsole(url, { ...WITH_KEY, OPS_PORT: String(opsPort) });
    const read = async () => {
      const text = await (await fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).text();
      return Object.fromEntries(
        [...text.matchAll(/^console_notices_(\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
      );
    };
    const [delivered, undelivered] = ['total{outcome="delivered"}', 'total{outcome="undelivered"}'];
    try {
      expect(await read()).toEqual({ due: 0, oldest_due_seconds: 0, [delivered]: 0, [undelivered]: 0 });
      await sql(`${addChannel(1, "a", working.url)}; ${addChannel(2, "gone", gone.url)};
        insert into servers (account_id, label, hostname) values (2, 'db-1', 'h');
        insert into events (subject, subject_id, account_id, kind, started_at)
          select 'server', id, account_id, 'disk_full', now() - interval '1 minute' from servers where id <> 2`);
      await expect
        .poll(async () => {
          // Others that would be told with it are not waited for here.
          await sql("update notices set next_at = now() where state = 'due' and attempts = 0");
          return read();
        })
        .toMatchObject({ due: 0, [delivered]: 1, [undelivered]: 1 });
      expect([working.received.length, gone.received.length]).toEqual([1, 1]);
      // An instance that died has the channel. What is due later is not due.
      await sql(`update notice_channels set leased_until = now() + interval '1 hour' where name = 'a';
        insert into notices (channel_id, account_id, subject, subject_id, event_id, tells, kind, name, started_at, due_at, next_at)
          select 1, 1, 'server', 1, 900 + n, 'begin', 'offline', 'x', now(), now(), now() + n * interval '60 s' from unnest(array[-2, -1, 1]) n`);
      const { oldest_due_seconds: oldest = 0, due } = await read();
      expect(due).toBe(2);
      expect(oldest).toBeGreaterThanOrEqual(120);
      expect(oldest).toBeLessThan(240);
    } finally {
      await app.stop();
      await working.stop();
      await gone.stop();
    }
  });
});

test("random kills lose no notice, and repeats carry the same id and body", async () => {
  test.setTimeout(SLOW.timeout);
  await onDatabase(async ({ sql, url }) => {
    const KILLS = 10;
    const [webhook, mail] = [
      // A receiver takes a moment, so that deaths fall into it.
      await startReceiver((response) => setTimeout(() => response.writeHead(204).end(), 30)),
      await startMailServer(),
    ];
    const variables = { ...WITH_KEY, SMTP_URL: mail.url, MAIL_FROM: "notices@example.com" };
    try {
      await sql(`${addChannel(1, "a", webhook.url)}; ${addChannel(1, "m", "ann@example.com")}`);
      // Time that nobody waits for: what a dead instance held is free, what waits for others or another attempt is due, and no limit
      // of an hour is reached.
      const hurry = async () => {
        for (const change of [
          "notices set next_at = now() where state = 'due'",
          "notices set settled_at = now() - interval '2 hours' where settled_at > now() - interval '2 hours'",
          "notice_messages set next_at = now() where state = 'due'",
          "notice_messages set ended_at = now() - interval '2 hours' where ended_at > now() - interval '2 hours'",
        ]) {
          // It locks rows in no order. Where it is in the way of the process, the next turn does it.
          await sql(`update ${change}`).catch((error) => expect(error).toMatchObject({ code: "40P01" }));
        }
      };
      const waiting = async () =>
        (
          await sql(
            "select id from notices where state = 'due' or state = 'told' and tells = 'begin' and ended_at is null",
          )
        ).length;
      const start = () => startReadyProcess<string>(bundled("e2e/support/notices-process.ts"), [url], variables);
      for (let n = 1; n <= KILLS; n++) {
        const { child } = await start();
        const died = new Promise((resolve) => child.once("exit", resolve));
        await sql(`insert into events (subject, subject_id, account_id, kind, started_at, facts)
          values ('server', 1 + ${n} % 2, 1, 'disk_full', now() - interval '${n} minutes', '{"n": ${n}}')`);
        // The moment of its death is the one thing that chance decides here.
        const at = Date.now() + Math.random() * 600;
        while (Date.now() < at) await hurry();
        child.kill("SIGKILL");
        await died;
        await sql(`update events set ended_at = now() where ended_at is null and random() < 0.5;
          update notice_channels set leased_until = null`);
      }
      await sql("update events set ended_at = now() where ended_at is null");
      const { stop } = await start();
      await expect
        .poll(
          async () => {
            await hurry();
            return (
              (await waiting()) +
              Number((await sql("select count(*)::int as n from events where notice_due or notice_end_due"))[0]?.n)
            );
          },
          { timeout: 120 * SECOND },
        )
        .toBe(0);
      await stop();
      const rows = await sql(`select c.name, n.event_id, n.tells, n.state, n.message_id::text as message
        from notices n join notice_channels c on c.id = n.channel_id`);
      expect(rows.filter(({ state }) => state !== "told")).toEqual([]);
      // Each event was told to both, and its end by itself or with its beginning.
      expect(new Set(rows.map(({ name, event_id }) => `${name} ${event_id}`)).size).toBe(2 * KILLS);
      const bodies = new Map<string, Set<string>>();
      for (const { headers, body } of webhook.received) {
        const id = String(headers["webhook-id"]);
        bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
      }
      for (const [id, all] of bodies) expect(all.size, id).toBe(1);
      const mails = new Set(mail.mails.map(({ parsed }) => String(parsed.messageId).slice(1, -1).split("@")[0]));
      for (const { name, message } of rows) {
        expect(name === "a" ? bodies.has(String(message)) : mails.has(String(message)), `${name} ${message}`).toBe(
          true,
        );
      }
    } finally {
      await webhook.stop();
      await mail.stop();
    }
  });
});
