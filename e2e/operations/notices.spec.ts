import { randomBytes } from "node:crypto";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { atEnd, expect, own, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { startReceiver } from "@/e2e/support/receivers";
import { openSql, type Sql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
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
async function newDatabase(): Promise<{ url: string; sql: Sql }> {
  const { url } = await own(createTestDatabase());
  const { sql, close } = openSql(url);
  atEnd(close);
  await sql(`insert into accounts (name, email) values ('a', 'a@example.com'), ('b', 'b@example.com');
    insert into servers (account_id, label, hostname) values (1, 'web-1', 'h'), (1, 'web-2', 'h')`);
  return { url, sql };
}

test("npm run console -- notices test EMAIL tests each channel and reports failures", async () => {
  const { sql, url } = await newDatabase();
  const [working, broken] = [await own(startReceiver()), await own(startReceiver(500))];
  const variables = { DATABASE_URL: url, ...WITH_KEY };
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
});

test("/ops/metrics counts notices due, their age, and messages delivered and given up", async () => {
  const { sql, url } = await newDatabase();
  const [working, gone, opsPort] = [await own(startReceiver()), await own(startReceiver(410)), await freePort()];
  await own(startConsole(url, { ...WITH_KEY, OPS_PORT: String(opsPort) }));
  const read = async () => {
    const text = await (await fetch(`http://127.0.0.1:${opsPort}/ops/metrics`)).text();
    return Object.fromEntries(
      [...text.matchAll(/^console_notices_(\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
    );
  };
  const [delivered, undelivered] = ['total{outcome="delivered"}', 'total{outcome="undelivered"}'];
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
});
