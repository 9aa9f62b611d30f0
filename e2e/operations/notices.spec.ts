import { randomBytes } from "node:crypto";
import { command } from "@/e2e/support/command";
import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { type Functions, openLibrary } from "@/e2e/support/library";
import { expectWholeAfter, STEPS } from "@/e2e/support/notice-deaths";
import { comeBack, DELIVERIES, goOffline, onStage, type Stage } from "@/e2e/support/notice-stage";
import { letPass } from "@/e2e/support/notice-time";
import { type Receiver, startInstance } from "@/e2e/support/notices-instance";
import { SLOW } from "@/e2e/support/patience";
import { startReceiver as startWebhookReceiver } from "@/e2e/support/receivers";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { NOTICE_KINDS } from "@/lib/notices/kinds";
import { seal } from "@/lib/notices/secrets";
import type { NoticeChoices } from "@/lib/notices/settings";

// Notices on a real database, with a receiver of real HTTP, by instances in processes of their own, which die of kill -9. Time
// passes by moving what is stored back.

/** A console that may send to receivers of the test. */
const KEY = randomBytes(32);
const WITH_KEY = { NOTICE_KEY: KEY.toString("base64"), PRIVATE_WEBHOOKS: "allow" };

/** SQL: a webhook of the first account has this URL. */
function pointTo(name: string, url: string): string {
  const sealed = seal(JSON.stringify({ url, secrets: [`whsec_${randomBytes(24).toString("base64")}`] }), 1, [KEY]);
  return `update notice_channels set host = '127.0.0.1', sealed = '${sealed}' where account_id = 1 and name = '${name}'`;
}

type Settings = typeof import("@/lib/notices/settings");
type Outbox = typeof import("@/lib/notices/outbox");

/** As `onStage`, with the functions of a module of the product over the same database. */
async function onStageWith<Module>(
  module: string,
  play: (stage: Stage, functions: Functions<Module>) => Promise<void>,
): Promise<void> {
  await onStage(async (stage) => {
    const library = await openLibrary(stage.url);
    try {
      await play(stage, library.use<Module>(module));
    } finally {
      await library.stop();
    }
  });
}

const titlesOf = ({ arrivals }: Receiver) => arrivals.map(({ body }) => JSON.parse(body).title);

test("an outage is told five minutes after its beginning, its end once, in the same thread; a shorter one is not, nor what the console's absence hides", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(goOffline(1));
    await live(4.5 * MINUTE);
    expect(titlesOf(receiver)).toEqual([]);
    await live(MINUTE, 10 * SECOND);
    expect(titlesOf(receiver)).toEqual([expect.stringMatching(/^web-1 is offline since \d\d:\d\d$/)]);
    await sql(comeBack(1));
    await live(2 * MINUTE, 10 * SECOND);
    expect(titlesOf(receiver).slice(1)).toEqual(["web-1 is online again"]);
    const [begun, ended] = receiver.arrivals.map(({ id, body }) => ({ id, ...JSON.parse(body) }));
    expect(ended).toMatchObject({ account: 1, thread: begun.thread, link: "/dashboard/servers/1" });
    expect(begun.id).toBe(begun.thread);
    expect(ended.id).not.toBe(begun.id);

    await sql(goOffline(2));
    await live(4 * MINUTE);
    await sql(comeBack(2));
    await live(30 * MINUTE);
    expect(receiver.arrivals).toHaveLength(2);
    const due = await sql("select count(*)::int as due from events where notice_due");
    expect([await sql("select id from notice_incidents where look_at is not null"), due]).toEqual([[], [{ due: 0 }]]);
  });
});

test("twelve servers that fall silent within a minute are one message with ten names, and so is their return", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(
      "insert into servers (account_id, label, hostname) select 1, 'db-' || n, 'h' from generate_series(1, 10) n",
    );
    await sql(
      "insert into events (subject, subject_id, kind, started_at) select 'server', id, 'offline', now() - id * interval '4 s' from servers",
    );
    await live(6 * MINUTE);
    const [message] = receiver.arrivals.map(({ body }) => JSON.parse(body));
    expect(message.title).toMatch(/^12 servers are offline since \d\d:\d\d$/);
    expect(message.lines[0]).toMatch(/: db-10, .*, db-1 and 2 more\.$/);
    expect(message.events).toHaveLength(12);
    await sql("update events set ended_at = now() - subject_id * interval '1 s'");
    await live(3 * MINUTE);
    expect(titlesOf(receiver)).toEqual([message.title, "12 servers are online again"]);
  });
});

test("in the quiet hours of its zone an account is told nothing; afterwards it is told of everything in one message, with the true times", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    const zone = "Asia/Kathmandu";
    const [{ start } = {}] = await sql(
      `select (extract(hour from at) * 60 + extract(minute from at))::int as start from (select now() at time zone '${zone}' as at) now`,
    );
    const clock = (minutes: number) => (Number(start) + minutes + 24 * 60) % (24 * 60);
    await sql(`insert into notice_settings (account_id, quiet_zone) values (1, '${zone}')`);
    let passed = 0;
    // The clock on the wall is not moved, so the hours are.
    const pass = async (minutes: number) => {
      for (const end = passed + minutes; passed < end; passed++) {
        await sql(`update notice_settings set quiet_from = ${clock(-60)}, quiet_to = ${clock(60 - passed)}`);
        await live(MINUTE, MINUTE);
      }
    };
    await sql(goOffline(1));
    await pass(7);
    await sql("insert into events (subject, subject_id, kind, started_at) values ('server', 2, 'disk_full', now())");
    await pass(7);
    await sql(goOffline(2));
    await pass(10);
    await sql("update events set ended_at = now() where subject_id = 2 and kind = 'offline'");
    await pass(35);
    expect(receiver.arrivals).toEqual([]);
    await pass(5);
    const [message, ...others] = receiver.arrivals.map(({ body }) => JSON.parse(body));
    expect(others).toEqual([]);
    expect(message.title).toMatch(/^web-1 is offline since \d\d:\d\d, and 2 more$/);
    expect(message.lines.slice(1, 3)).toEqual([
      expect.stringMatching(/^web-2 has a full disk since/),
      expect.stringMatching(/^web-2 was offline from \d\d:\d\d to \d\d:\d\d\.$/),
    ]);
    expect(Date.parse(message.at) - Date.parse(message.events[0].started_at)).toBeGreaterThanOrEqual(59 * MINUTE);
    await sql(comeBack(1));
    await live(3 * MINUTE);
    expect(titlesOf(receiver).slice(1)).toEqual(["web-1 is online again"]);
  });
});

test("rules that are changed hold for what is kept by the old ones: a shorter delay, and quiet hours that are taken away", async () => {
  await onStageWith<Settings>("notices/settings", async ({ sql, live, receiver }, { readChoices, saveChoices }) => {
    const change = async (choices: Partial<NoticeChoices>, offline = "5") => {
      const { zone: _, ...before } = await readChoices(1);
      const after = { ...before, ...choices, minutes: { ...before.minutes, offline } };
      expect(await saveChoices(1, after, "UTC")).toEqual({ kind: "saved" });
    };
    await change({}, "60");
    await sql(goOffline(1));
    await live(10 * MINUTE);
    expect(titlesOf(receiver)).toEqual([]);
    await change({}, "5");
    await live(30 * SECOND, 10 * SECOND);
    expect(titlesOf(receiver)).toEqual([expect.stringMatching(/^web-1 is offline since/)]);

    await sql(`update notice_settings set quiet_zone = 'UTC', quiet_from = (extract(hour from now() at time zone 'UTC') * 60)::int,
      quiet_to = ((extract(hour from now() at time zone 'UTC')::int + 3) % 24) * 60`);
    await sql(comeBack(1));
    await sql("insert into events (subject, subject_id, kind, started_at) values ('server', 2, 'disk_full', now())");
    await live(10 * MINUTE);
    expect(receiver.arrivals).toHaveLength(1);
    await change({ quietFrom: "", quietTo: "" });
    await live(30 * SECOND, 10 * SECOND);
    // Both are due at the same moment.
    expect(titlesOf(receiver).slice(1).toSorted()).toEqual([
      "web-1 is online again",
      expect.stringMatching(/^web-2 has a full disk/),
    ]);
  });
});

test("a snoozed server is told nothing new of until it is over, or until it has recovered; others are, and so is the end of what was told", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql("insert into server_snoozes (server_id, until) values (1, now() + interval '1 hour')");
    await sql(goOffline(1));
    await sql(goOffline(2));
    await live(50 * MINUTE);
    expect(titlesOf(receiver)).toEqual([expect.stringMatching(/^web-2 is offline since/)]);
    await sql("update server_snoozes set server_id = 2, until = now() + interval '1 hour'");
    await sql(comeBack(2));
    await live(12 * MINUTE);
    expect(titlesOf(receiver).slice(1)).toEqual([
      "web-2 is online again",
      expect.stringMatching(/^web-1 is offline since/),
    ]);
    await sql(comeBack(1));
    await live(3 * MINUTE);
    await sql("delete from server_snoozes");
    receiver.arrivals.length = 0;

    await sql(
      "insert into events (subject, subject_id, kind, started_at) values ('server', 1, 'disk_full', now() - interval '30 s')",
    );
    await sql("insert into server_snoozes (server_id, until) values (1, null)");
    await live(12 * HOUR, 10 * MINUTE);
    await sql(comeBack(1));
    await live(HOUR, 5 * MINUTE);
    expect(titlesOf(receiver)).toEqual([]);
    await sql("insert into events (subject, subject_id, kind, started_at) values ('server', 1, 'disk_full', now())");
    await live(3 * MINUTE);
    expect(titlesOf(receiver)).toEqual([expect.stringMatching(/^web-1 has a full disk/)]);
  });
});

test("of a server in maintenance nothing is told; what goes on afterwards is, with its true beginning", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(`insert into maintenance_times (server_id, started_at, ended_at) select id, now(), now() + interval '1 hour' from servers;
      insert into events (subject, subject_id, kind, started_at) select 'server', id, 'offline', now() + interval '1 s' from servers`);
    await live(20 * MINUTE);
    await sql(comeBack(1));
    await live(36 * MINUTE);
    expect(receiver.arrivals).toEqual([]);
    await live(20 * MINUTE);
    const [message, ...others] = receiver.arrivals.map(({ body }) => JSON.parse(body));
    expect(others).toEqual([]);
    expect(message.title).toMatch(/^web-2 is offline since/);
    expect(Date.parse(message.at) - Date.parse(message.events[0].started_at)).toBeGreaterThanOrEqual(59 * MINUTE);
  });
});

test("the owner is told of a game service that failed or is served by no live edge node, and of a token that ends, is refused after its end or comes from a new network; others of the same console are not", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(`insert into notice_channels (account_id, kind, name, confirmed_at) values (2, 'webhook', 'b', now());
      insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'survival', 'j', 'o', 1);
      insert into access_tokens (account_id, name, token_hash, hint) values (1, 'deploy', repeat('a', 64), 'hint');
      update service_events set notice_due = false`);
    await sql("insert into service_events (service_id, kind, started_at) values (1, 'failed', now() + interval '1 s')");
    await live(2 * MINUTE, 20 * SECOND);
    expect(titlesOf(receiver)).toEqual([expect.stringMatching(/^survival has failed since/)]);
    await sql("update service_events set ended_at = now() where kind = 'failed'");
    await live(3 * MINUTE, 20 * SECOND);
    expect(titlesOf(receiver).slice(1)).toEqual(["survival has recovered"]);
    await sql("insert into service_events (service_id, kind, started_at) values (1, 'unserved', now())");
    await live(2 * MINUTE, 20 * SECOND);
    await sql("update service_events set ended_at = now() where kind = 'unserved'");
    await live(3 * MINUTE, 20 * SECOND);
    expect(titlesOf(receiver).slice(2)).toEqual([
      expect.stringMatching(/^survival is served by no live edge node since \d\d:\d\d$/),
      "survival has a live edge node again",
    ]);
    for (const kind of ["ends_in_3_days", "refused_after_end", "new_network"]) {
      await sql(`insert into token_events (token_id, kind, started_at) values (1, '${kind}', now())`);
      await live(3 * MINUTE, 20 * SECOND);
    }
    expect(titlesOf(receiver).slice(4)).toEqual([
      expect.stringMatching(/^deploy ends in 3 days at/),
      expect.stringMatching(/^deploy was used after its end, and refused at/),
      expect.stringMatching(/^deploy was used from a new network at/),
    ]);
    expect(JSON.parse(receiver.arrivals[0]?.body ?? "").link).toBe("/dashboard/game-services/1");
    expect(receiver.arrivals.filter(({ channel }) => channel === "b")).toEqual([]);
    expect(await sql("select id from service_events where notice_due")).toEqual([]);
  });
});

test("each kind that is told has words of its own, for its beginning and, if it lasts, for its end", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(`insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'survival', 'j', 'o', 1);
      insert into access_tokens (account_id, name, token_hash, hint) values (1, 'deploy', repeat('a', 64), 'hint');
      update service_events set notice_due = false`);
    const kinds = Object.entries(NOTICE_KINDS);
    const names = { server: "web-1", service: "survival", token: "deploy" };
    for (const [kind, { subject }] of kinds) {
      const [table, of] =
        subject === "server" ? ["events", "subject, subject_id"] : [`${subject}_events`, `${subject}_id`];
      const one = subject === "server" ? "'server', 1" : "1";
      await sql(
        `insert into ${table} (${of}, kind, started_at) values (${one}, '${kind}', now() - interval '10 minutes')`,
      );
    }
    await live(MINUTE, 10 * SECOND);
    await sql(`update events set ended_at = now(); update service_events set ended_at = now()`);
    await live(3 * MINUTE, 10 * SECOND);
    const [begun = [], ended = [], ...others] = receiver.arrivals.map(({ body }) => JSON.parse(body).lines as string[]);
    expect(others).toEqual([]);
    const linesOf = (words: (string | undefined)[]) =>
      words.map((word) => expect.stringMatching(new RegExp(`^${word} (?:since|at) `)));
    expect(begun.slice(0, -1).toSorted()).toEqual(
      linesOf(kinds.map(([, { subject, words }]) => `${names[subject]} ${words.is}`).toSorted()),
    );
    const lasting = kinds.filter(([, { lasts }]) => lasts);
    expect(ended.slice(0, -1).toSorted()).toEqual(
      linesOf(lasting.map(([, { subject, words }]) => `${names[subject]} ${words.again}`).toSorted()),
    );
  });
});

test("what goes on is told again once a day, in one message for what is due within an hour, until it is over", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(goOffline(1));
    await live(30 * MINUTE, 10 * MINUTE);
    await sql(goOffline(2));
    await live(60 * MINUTE, 10 * MINUTE);
    expect(titlesOf(receiver)).toHaveLength(2);
    await live(47 * HOUR, 20 * MINUTE);
    const still = expect.stringMatching(/^2 servers are still offline since /);
    expect(titlesOf(receiver).slice(2)).toEqual([still, still]);
    await sql(comeBack(1));
    await sql(comeBack(2));
    await live(48 * HOUR, 30 * MINUTE);
    expect(titlesOf(receiver).slice(4)).toEqual(["2 servers are online again"]);
  });
});

/** The first account has a game service that is shared with the others; of those "b" and "d" chose to be told, "d" is not shared with. */
const SHARED_SERVICE = `
  insert into accounts (name, email) values ('c', 'c@example.com'), ('d', 'd@example.com');
  insert into notice_channels (account_id, kind, name, confirmed_at)
    values (2, 'webhook', 'b', now()), (3, 'webhook', 'c', now()), (4, 'webhook', 'd', now());
  insert into notice_settings (account_id, rules) values (2, '{"shared": {"on": true}}'), (3, '{"shared": {"on": false}}'),
    (4, '{"shared": {"on": true}}');
  insert into game_services (account_id, name, java_hostname, origin_host, origin_port) values (1, 'survival', 'j', 'o', 1);
  insert into service_grants (service_id, account_id) values (1, 2), (1, 3);
  update service_events set notice_due = false`;
const failService = (kind = "failed") =>
  `insert into service_events (service_id, kind, started_at) values (1, '${kind}', now())`;
const RECOVER = "update service_events set ended_at = now() where ended_at is null and kind in ('failed', 'unserved')";
const titlesAt = ({ arrivals }: Receiver, channel: string) =>
  arrivals.filter((one) => one.channel === channel).map(({ body }) => JSON.parse(body).title);
/** Nothing is left to consider or to look at. */
const LEFT = `select (select count(*)::int from shared_service_events) as shared,
  (select count(*)::int from service_events where notice_due) as due,
  (select count(*)::int from notice_incidents where look_at is not null) as open`;
const NOTHING_LEFT = [{ shared: 0, due: 0, open: 0 }];

test("who a game service is shared with is told of it, and of its end, once and as the owner is, if they chose so, by two instances at once; of servers and tokens of others nobody is told", async () => {
  await onStage(async ({ sql, url, instance, receiver }) => {
    const other = await startInstance(url, receiver.url);
    const live = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 15 * SECOND) {
        await letPass(sql, 15 * SECOND);
        expect(await Promise.all([instance.tick(), other.tick()])).toEqual([true, true]);
      }
    };
    try {
      await sql(`${SHARED_SERVICE};
        insert into access_tokens (account_id, name, token_hash, hint) values (1, 'deploy', repeat('a', 64), 'hint');
        insert into events (subject, subject_id, kind, started_at) values ('server', 1, 'disk_full', now());
        insert into token_events (token_id, kind, started_at) values (1, 'ends_in_3_days', now());
        insert into service_events (service_id, kind, started_at) values (1, 'access_changed', now())`);
      await sql(failService());
      await live(3 * MINUTE);
      await sql(RECOVER);
      await live(3 * MINUTE);
      await sql(failService("unserved"));
      await live(3 * MINUTE);
      await sql(RECOVER);
      await live(3 * MINUTE);
      const told = [
        expect.stringMatching(/^survival has failed since/),
        "survival has recovered",
        expect.stringMatching(/^survival is served by no live edge node since/),
        "survival has a live edge node again",
      ];
      expect(titlesAt(receiver, "b")).toEqual(told);
      expect(titlesAt(receiver, "a").filter((title) => title.startsWith("survival"))).toEqual(told.slice(1));
      expect(titlesAt(receiver, "a")[0]).toContain("and 2 more");
      expect([titlesAt(receiver, "c"), titlesAt(receiver, "d")]).toEqual([[], []]);
      await sql("update events set ended_at = now()");
      await live(2 * MINUTE);
      expect(titlesAt(receiver, "b")).toHaveLength(4);
      expect(await sql(LEFT)).toEqual(NOTHING_LEFT);
    } finally {
      await other.stop();
    }
  });
});

test("who a game service is shared with is told of what begins after they chose so and have a channel, also when its owner has none or is disabled", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(`${SHARED_SERVICE};
      delete from notice_channels where name = 'a';
      update notice_settings set rules = '{}';
      update notice_channels set off_at = now() where name = 'b'`);
    await sql(failService());
    await live(2 * MINUTE);
    await sql(`update notice_settings set rules = '{"shared": {"on": true}}' where account_id = 2`);
    await sql(failService("unserved"));
    await live(2 * MINUTE);
    await sql("update notice_channels set off_at = null");
    await live(2 * MINUTE);
    await sql(RECOVER);
    await live(2 * MINUTE);
    expect(receiver.arrivals).toEqual([]);
    await sql(`update notice_settings set rules = '{"shared": {"on": true}}'`);
    await sql(failService());
    await live(2 * MINUTE);
    await sql("update accounts set disabled_at = now() where id = 1");
    await sql(failService("unserved"));
    await live(2 * MINUTE);
    for (const channel of ["b", "c"]) {
      expect(titlesAt(receiver, channel)).toEqual([
        expect.stringMatching(/^survival has failed/),
        expect.stringMatching(/^survival is served by no live edge node/),
      ]);
    }
    expect(titlesAt(receiver, "d")).toEqual([]);
  });
});

test("a share that ends, or the choice to be told of it, ends what is told: what is due is dropped, which is said, and no end and no reminder follow; the owner is told as before", async () => {
  const ends = [
    "delete from service_grants where account_id = 2",
    "update notice_settings set rules = '{}' where account_id = 2",
  ];
  for (const end of ends) {
    await onStage(async ({ sql, live, receiver }) => {
      const ofB = async () => (await sql(DELIVERIES)).filter(({ channel }) => channel === "b");
      const dropped = {
        state: "dropped",
        reason: "What it was about is no longer there, or no longer shared with you.",
      };
      await sql(SHARED_SERVICE);
      receiver.modes.set("b", "refuse");
      await sql(failService());
      await live(2 * MINUTE);
      expect(await ofB()).toMatchObject([{ kind: "begun", state: "due", reason: "It answered 500." }]);
      receiver.modes.clear();
      await sql(end);
      await live(12 * MINUTE);
      await sql(RECOVER);
      await live(3 * MINUTE);
      for (const delivery of await ofB()) expect(delivery).toMatchObject(dropped);
      expect(titlesAt(receiver, "b")).toEqual([]);
      expect(titlesAt(receiver, "a")).toEqual([
        expect.stringMatching(/^survival has failed/),
        "survival has recovered",
      ]);
      expect(await sql(LEFT)).toEqual(NOTHING_LEFT);

      // The other way round: told, then no longer shared.
      await sql(`insert into service_grants (service_id, account_id) values (1, 2) on conflict do nothing;
        update notice_settings set rules = '{"shared": {"on": true}}' where account_id = 2`);
      await sql(failService("unserved"));
      await live(2 * MINUTE);
      expect(titlesAt(receiver, "b")).toHaveLength(1);
      await sql(end);
      await live(73 * HOUR, HOUR);
      const reminder = expect.stringMatching(/^survival is still served by no live edge node/);
      expect(titlesAt(receiver, "a").slice(3)).toEqual([reminder, reminder, reminder]);
      await sql(RECOVER);
      await live(3 * MINUTE);
      expect(titlesAt(receiver, "a").at(-1)).toBe("survival has a live edge node again");
      expect(titlesAt(receiver, "b")).toHaveLength(1);
      expect((await ofB()).filter(({ state }) => state === "due")).toEqual([]);
      expect(await sql(LEFT)).toEqual(NOTHING_LEFT);
    });
  }
});

test("of a thousand shared game services that all fail an account is told in one message, and of their end in another", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(`${SHARED_SERVICE};
      insert into accounts (name, email) select 'n', 'n' || n || '@example.com' from generate_series(1, 10) n;
      insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
        select 5 + n % 10, 'n' || n, 'j' || n, 'o', 1 from generate_series(1, 999) n;
      insert into service_grants (service_id, account_id) select id, 2 from game_services where id > 1;
      update service_events set notice_due = false;
      insert into service_events (service_id, kind, started_at) select id, 'failed', now() from game_services`);
    await live(10 * SECOND, 5 * SECOND);
    await live(2 * MINUTE);
    const [message] = receiver.arrivals.filter(({ channel }) => channel === "b").map(({ body }) => JSON.parse(body));
    expect([message.title, message.events.length]).toEqual([
      expect.stringMatching(/^1000 game services have failed/),
      100,
    ]);
    await sql(RECOVER);
    await live(2 * MINUTE);
    expect(titlesAt(receiver, "b")).toEqual([message.title, "1000 game services have recovered"]);
    expect(titlesAt(receiver, "a")).toHaveLength(2);
    expect(await sql(LEFT)).toEqual(NOTHING_LEFT);
  });
});

test("before each attempt is asked whether the account is enabled, the server is still the account's and the channel is on; otherwise the message is dropped, which is said", async () => {
  const hindrances = [
    ["update accounts set disabled_at = now() where id = 1", "The account is disabled."],
    ["update servers set account_id = 2", "What it was about is no longer there."],
    ["delete from servers", "What it was about is no longer there."],
    ["update notice_channels set off_at = now()", "The channel is off."],
  ];
  for (const [change = "", said] of hindrances) {
    await onStage(async ({ sql, live, receiver }) => {
      receiver.modes.set("a", "refuse");
      await sql(goOffline(1));
      await live(6 * MINUTE);
      expect(await sql(DELIVERIES)).toMatchObject([{ state: "due", reason: "It answered 500." }]);
      receiver.modes.set("a", "ok");
      await sql(change);
      await live(11 * MINUTE);
      for (const delivery of await sql(DELIVERIES)) expect(delivery).toMatchObject({ state: "dropped", reason: said });
      expect(receiver.arrivals).toEqual([]);
    });
  }
});

test("an outage that is over before a receiver takes its message is one message that says so; after one that may have arrived, the same message comes again, also when it was refused meanwhile, and then the end", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    receiver.modes.set("a", "refuse");
    await sql(goOffline(1));
    await live(6 * MINUTE);
    await sql(comeBack(1));
    receiver.modes.set("a", "ok");
    await live(12 * MINUTE);
    expect(titlesOf(receiver)).toEqual(["web-1 was offline"]);
    const [, ended] = await sql(DELIVERIES);
    expect(ended).toMatchObject({
      kind: "ended",
      state: "dropped",
      reason: "This channel was never told that it began, or was told at once that it is over.",
    });

    receiver.arrivals.length = 0;
    receiver.modes.set("a", "hang");
    await sql(goOffline(2));
    await live(6 * MINUTE);
    await sql(comeBack(2));
    receiver.modes.set("a", "refuse");
    await live(2.5 * MINUTE);
    expect(await sql(DELIVERIES)).toContainEqual(expect.objectContaining({ state: "due", reason: "It answered 500." }));
    receiver.modes.set("a", "ok");
    await live(12 * MINUTE);
    const bodies = receiver.arrivals.map(({ body }) => body);
    expect(new Set(bodies.slice(0, -1)).size).toBe(1);
    expect(titlesOf(receiver).at(-2)).toMatch(/^web-2 is offline since/);
    expect(titlesOf(receiver).at(-1)).toBe("web-2 is online again");
  });
});

test("a channel that fails is tried six times within eight hours, is turned off after a day of failures, and what it was not sent is listed", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    receiver.modes.set("a", "refuse");
    await sql(goOffline(1));
    await live(6 * MINUTE);
    await live(10 * HOUR, 5 * MINUTE);
    expect(await sql(DELIVERIES)).toMatchObject([{ state: "undelivered", attempts: 6, reason: "It answered 500." }]);
    // The reminder of the next day.
    await live(16 * HOUR, 5 * MINUTE);
    expect(await sql("select off_reason, off_at is not null as off from notice_channels")).toEqual([
      { off: true, off_reason: "It answered 500." },
    ]);
    expect(receiver.arrivals).toEqual([]);
  });
});

test("an outage that ended while no instance ran for days is told to be over since its true end", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(goOffline(1));
    await live(6 * MINUTE);
    await letPass(sql, HOUR);
    await sql(comeBack(1));
    await letPass(sql, 72 * HOUR);
    await live(2 * MINUTE);
    expect(titlesOf(receiver).slice(1)).toEqual(["web-1 is online again"]);
    const { at, events } = JSON.parse(String(receiver.arrivals[1]?.body));
    expect(Date.parse(at) - Date.parse(events[0].ended_at)).toBeGreaterThanOrEqual(72 * HOUR);
  });
});

test("events of before notices are told to nobody, and without a channel new ones are not kept for later", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(
      "insert into events (subject, subject_id, kind, started_at, notice_due) values ('server', 1, 'offline', now() - interval '1 day', false)",
    );
    await live(10 * MINUTE);
    await sql("update notice_channels set off_at = now()");
    await sql(goOffline(2));
    await live(MINUTE);
    expect(await sql("select id from events where notice_due")).toEqual([]);
    await sql("update notice_channels set off_at = null");
    await live(30 * MINUTE);
    expect([await sql("select id from notice_incidents"), receiver.arrivals]).toEqual([[], []]);
    // Nor does a later one bring them up.
    await sql(comeBack(2));
    await live(MINUTE);
    await sql(goOffline(2));
    await live(6 * MINUTE);
    const told = receiver.arrivals.map(({ body }) => JSON.parse(body).events.length);
    expect([titlesOf(receiver), told]).toEqual([[expect.stringMatching(/^web-2 is offline since/)], [1]]);
  });
});

test("a receiver that answers 429 with a time gets nothing until then, not even what comes meanwhile; other channels of the account do, and /ops/metrics calls none of it late", async () => {
  await onStageWith<Outbox>("notices/outbox", async ({ sql, live, receiver }, { measureOutbox }) => {
    await sql(`insert into notice_channels (account_id, kind, name, confirmed_at)
      values (1, 'webhook', 'b', now()), (1, 'webhook', 'c', now()), (1, 'webhook', 'd', now())`);
    for (const channel of ["a", "b", "c"]) receiver.modes.set(channel, "wait");
    await sql("insert into events (subject, subject_id, kind, started_at) values ('server', 1, 'disk_full', now())");
    await live(2 * MINUTE, 10 * SECOND);
    await sql("insert into events (subject, subject_id, kind, started_at) values ('server', 2, 'disk_full', now())");
    await live(20 * MINUTE, 10 * SECOND);
    expect(receiver.asked.toSorted()).toEqual(["a", "b", "c", "d", "d"]);
    const open = await sql("select attempts, attempt_at <= now() as due from notice_deliveries where state = 'due'");
    expect(open).toHaveLength(6);
    expect(open.filter(({ due }) => due)).toHaveLength(3);
    expect(await measureOutbox()).toEqual({ due: 0, oldest: 0 });
    receiver.modes.clear();
    await live(36 * MINUTE);
    expect(receiver.asked).toHaveLength(5);
    await live(15 * MINUTE);
    for (const channel of ["a", "b", "c", "d"]) {
      expect(titlesAt(receiver, channel).toSorted(), channel).toEqual([
        expect.stringMatching(/^web-1 has a full disk/),
        expect.stringMatching(/^web-2 has a full disk/),
      ]);
    }
  });
});

test("what waited for a receiver comes at most twenty messages an hour, of which the last says what waits and until when; of what is over by then nothing more is sent, which is said", async () => {
  await onStageWith<Outbox>("notices/outbox", async ({ sql, live, receiver }, { measureOutbox }) => {
    await sql(`insert into notice_incidents (account_id, subject, subject_id, kind, started_at, ended_at, told_at)
        values (1, 'server', 1, 'offline', now() - interval '6 hours', now() - interval '5 hours', now() - interval '6 hours');
      insert into notices (account_id, kind, thread, incidents) select 1, 'begun', gen_random_uuid(),
        case when n > 40 then array[1] else '{}' end from generate_series(1, 45) n;
      insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at)
        select id, 1, 1, now() - interval '6 hours', now() + case incidents when '{}' then '0 s' else interval '68 minutes' end
        from notices`);
    await live(55 * MINUTE, 5 * MINUTE);
    expect(receiver.arrivals).toHaveLength(20);
    expect(await measureOutbox()).toEqual({ due: 0, oldest: 0 });
    const [last = [], ...others] = receiver.arrivals.map(({ body }) => JSON.parse(body).lines).reverse();
    expect(last).toContainEqual(
      expect.stringMatching(
        /^This is the last message before \d\d:\d\d: .* 25 more wait .* the dashboard shows at once/,
      ),
    );
    expect(others.flat().filter((line: string) => line.startsWith("This is the last"))).toEqual([]);
    await live(15 * MINUTE, 5 * MINUTE);
    expect(new Set(receiver.arrivals.map(({ id }) => id)).size).toBe(40);
    expect(receiver.arrivals).toHaveLength(40);
    const dropped = (await sql(DELIVERIES)).filter(({ state }) => state !== "delivered");
    expect(dropped).toHaveLength(5);
    for (const { state, reason } of dropped) {
      expect([state, reason]).toEqual(["dropped", "It was over by then, and twenty messages an hour are the most."]);
    }
  });
});

test("a repetition that is the last message of an hour says so as well, and else what it said before", async () => {
  await onStage(async ({ sql, live, receiver }) => {
    await sql(
      "insert into events (subject, subject_id, kind, started_at) values ('server', 1, 'disk_full', now() - interval '1 minute')",
    );
    receiver.modes.set("a", "hang");
    await live(10 * SECOND, 5 * SECOND);
    receiver.modes.clear();
    await sql(`with ids as (insert into notices (account_id, kind, thread)
          select 1, 'begun', gen_random_uuid() from generate_series(1, 19) returning id)
      insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at, state, ended_at)
        select id, 1, 1, now(), now(), 'delivered', now() from ids`);
    await live(MINUTE, 10 * SECOND);
    const [first, again, ...more] = receiver.arrivals.map(({ id, body }) => ({ id, ...JSON.parse(body) }));
    expect(more).toEqual([]);
    const { lines, ...others } = again;
    expect({ ...first, lines: undefined }).toEqual({ ...others, lines: undefined });
    expect(lines.slice(0, -1)).toEqual(first.lines);
    expect(lines.at(-1)).toMatch(/^This is the last message before \d\d:\d\d\. .* the dashboard shows it at once\.$/);
  });
});

test("of more than 10,000 messages that wait, the oldest become one, which says how many were not sent, grows while it waits itself, and counts nothing that is being sent", async () => {
  test.setTimeout(SLOW.timeout);
  await onStage(async ({ sql, instance, receiver, url }) => {
    const wait = (from: number, to: number) =>
      sql(`with ids as (insert into notices (account_id, kind, thread, created_at)
          select 1, 'begun', gen_random_uuid(), now() - interval '8 hours' + n * interval '1 s' from generate_series(${from}, ${to}) n
          returning id, created_at)
        insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at)
          select id, 1, 1, created_at, now() + interval '1 hour' from ids`);
    const left = () =>
      sql(`select n.kind, d.state, count(*)::int, min(n.facts -> 'unsent' ->> 'count') as unsent
        from notices n join notice_deliveries d on d.notice_id = n.id group by 1, 2 order by 1, 2`);
    const sweep = async () => expect(await command(["sweep"], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    await wait(1, 10_050);
    await sql(
      "update notice_deliveries set leased_until = now() + interval '1 minute' where due_at = (select min(due_at) from notice_deliveries)",
    );
    await sweep();
    const [begun, unsent] = await left();
    expect(begun).toEqual({ kind: "begun", state: "due", count: 10_001, unsent: null });
    expect(unsent).toEqual({ kind: "unsent", state: "due", count: 1, unsent: "49" });
    await wait(10_051, 10_080);
    await sweep();
    expect(await left()).toEqual([begun, { ...unsent, unsent: "79" }]);
    await sql("update notice_deliveries set leased_until = null");
    await instance.tick();
    const [{ body } = { body: "" }, ...others] = receiver.arrivals;
    expect(others).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({
      title: "79 older notices were not sent",
      lines: [
        expect.stringMatching(/due from \d\d:\d\d to \d\d:\d\d, .* The dashboard shows what happened\.$/),
        "Times are UTC.",
      ],
      link: "/dashboard",
    });
    // What was being sent is no longer.
    await sweep();
    expect(await left()).toEqual([
      { ...begun, count: 10_000 },
      { ...unsent, state: "delivered", unsent: "79" },
      { ...unsent, unsent: "1" },
    ]);
  });
});

test("a mail server that hangs leaves places for webhooks, however much mail is due", async () => {
  await onStage(async ({ sql, instance, receiver }) => {
    await sql(`insert into accounts (name, email) select 'n', 'n' || n || '@example.com' from generate_series(1, 60) n;
      insert into notice_channels (account_id, kind, name, confirmed_at) select id, 'mail', 'mail', now() from accounts where id > 2;
      insert into notices (account_id, kind, thread) select account_id, 'test', gen_random_uuid() from notice_channels;
      insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at)
        select n.id, c.id, c.account_id, now(), now() - case c.kind when 'mail' then interval '1 minute' else '0 s' end
        from notice_channels c join notices n on n.account_id = c.account_id`);
    receiver.modes.set("mail", "hang");
    await instance.tick();
    expect(receiver.asked.slice(0, 31)).toContain("a");
    // And mail has the other places, one after the other.
    expect(receiver.asked.filter((channel) => channel === "mail")).toHaveLength(60);
  });
});

test("a receiver that hangs delays the messages of its own account alone", async () => {
  await onStage(async ({ sql, instance, receiver }) => {
    await sql(`insert into servers (account_id, label, hostname) values (2, 'other', 'h');
      insert into notice_channels (account_id, kind, name, confirmed_at)
        select 1, 'webhook', 'hanging-' || n, now() from generate_series(1, 19) n;
      insert into notice_channels (account_id, kind, name, confirmed_at) values (2, 'webhook', 'b', now())`);
    for (let n = 1; n < 20; n++) receiver.modes.set(`hanging-${n}`, "hang");
    receiver.modes.set("a", "hang");
    await sql(
      "insert into events (subject, subject_id, kind, started_at) select 'server', id, 'offline', now() from servers",
    );
    await instance.tick();
    await letPass(sql, 6 * MINUTE);
    await instance.tick();
    // Two of the account at a time, so the other one is in the first claim.
    expect(receiver.arrivals.slice(0, 3).map(({ channel }) => channel)).toContain("b");
  });
});

test("accounts whose plan fails are set aside and tried again later, however many they are; the others are told, and when the fault is gone so are they", async () => {
  test.setTimeout(SLOW.timeout);
  await onStage(async ({ sql, instance, receiver }) => {
    const FAULTY = 30;
    await sql(`insert into accounts (name, email) select 'n', 'n' || n || '@example.com' from generate_series(3, ${FAULTY}) n;
      insert into servers (account_id, label, hostname) select id, 'db', 'h' from accounts where id > 1;
      insert into notice_channels (account_id, kind, name, confirmed_at)
        select id, 'webhook', case id when 2 then 'b' else 'n' end, now() from accounts where id > 1;
      create sequence attempts;
      create function fail() returns trigger language plpgsql as
        $$ begin perform nextval('attempts'); raise exception 'Something is wrong with this account.'; end $$;
      create trigger fail before insert on notice_incidents for each row when (new.account_id <> 2) execute function fail();
      insert into events (subject, subject_id, kind, started_at) select 'server', min(id), 'disk_full', now() from servers group by account_id`);
    const began = performance.now();
    const faults: string[] = [];
    for (let look = 0; look < 15; look++) {
      await letPass(sql, 10 * SECOND);
      await instance.tick().catch((error: Error) => faults.push(error.message));
    }
    expect(titlesOf(receiver)).toEqual([expect.stringMatching(/^db has a full disk/)]);
    expect(faults[0]).toContain("The plans of accounts failed: ");
    const attempts = async () => Number((await sql("select last_value from attempts"))[0]?.last_value);
    // Ten seconds after the first, then a minute.
    const most = FAULTY * (1 + (performance.now() - began) / (10 * SECOND));
    expect(await attempts()).toBeGreaterThanOrEqual(FAULTY - 1);
    expect(await attempts()).toBeLessThanOrEqual(most);
    await sql("drop trigger fail on notice_incidents");
    await expect
      .poll(
        async () => {
          await letPass(sql, 10 * SECOND);
          await instance.tick().catch(() => {});
          return receiver.arrivals.length;
        },
        { timeout: 2 * MINUTE },
      )
      .toBe(FAULTY);
    expect(titlesOf(receiver)).toContainEqual(expect.stringMatching(/^web-1 has a full disk/));
  });
});

test("npm run notices -- test EMAIL sends a test by each channel that is on, says what became of it, and fails if one fails", async () => {
  await onStage(async ({ sql, url }) => {
    const [working, broken] = [await startWebhookReceiver(), await startWebhookReceiver(500)];
    const variables = { DATABASE_URL: url, ...WITH_KEY };
    const point = (name: string, to: string) => sql(pointTo(name, to));
    try {
      await point("a", working.url);
      await sql(
        "insert into notice_channels (account_id, kind, name, confirmed_at, off_at) values (1, 'webhook', 'off', now(), now())",
      );
      const good = await command(["notices", "test", "a@example.com"], variables);
      expect([good.code, working.received.length], good.stderr).toEqual([0, 1]);
      expect(good.stdout).toMatch(/^channel +address +test\na +127\.0\.0\.1 +delivered\n$/);
      await sql("insert into notice_channels (account_id, kind, name, confirmed_at) values (1, 'webhook', 'b', now())");
      await point("b", broken.url);
      const bad = await command(["notices", "test", "a@example.com"], variables);
      expect([bad.code, working.received.length, broken.received.length]).toEqual([1, 2, 1]);
      expect(bad.stdout).toMatch(/\nb +127\.0\.0\.1 +failed: .*500/);
      expect(bad.stderr).toContain("1 of 2 failed.");
      const none = await command(["notices", "test", "b@example.com"], variables);
      expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("This account has no channel that is on")]);
    } finally {
      await working.stop();
      await broken.stop();
    }
  });
});

test("/ops/metrics counts the messages that are due, delivered and given up, and says how long the oldest has been due", async () => {
  await onStage(async ({ sql, url }) => {
    const [working, gone, opsPort] = [await startWebhookReceiver(), await startWebhookReceiver(410), await freePort()];
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
      await sql(`insert into notice_channels (account_id, kind, name, confirmed_at) values (1, 'webhook', 'gone', now());
        ${pointTo("a", working.url)};
        ${pointTo("gone", gone.url)};
        insert into events (subject, subject_id, kind, started_at) values ('server', 1, 'disk_full', now() - interval '1 minute')`);
      await expect.poll(read).toEqual({ due: 0, oldest_due_seconds: 0, [delivered]: 1, [undelivered]: 1 });
      expect([working.received.length, gone.received.length]).toEqual([1, 1]);
      // An instance that died had claimed two. What is due later is not due.
      await sql(`insert into notices (id, account_id, kind, thread)
          select id, 1, 'begun', id from (select gen_random_uuid() as id from generate_series(1, 3)) ids;
        insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at, leased_until)
          select id, 1, 1, now(), now() + wait::interval, case when wait::interval < '0 s'::interval then now() + interval '1 hour' end
          from (select id, (array['-90 s', '-30 s', '90 s'])[row_number() over ()] as wait
            from notices where incidents = '{}') waiting`);
      const { oldest_due_seconds: oldest = 0, ...others } = await read();
      expect(others).toEqual({ due: 2, [delivered]: 1, [undelivered]: 1 });
      expect(oldest).toBeGreaterThanOrEqual(90);
      expect(oldest).toBeLessThan(180);
    } finally {
      await app.stop();
      await working.stop();
      await gone.stop();
    }
  });
});

test("kill -9 before and after each step of the loop loses nothing and tells nothing twice", async () => {
  test.setTimeout(SLOW.timeout);
  await onStage(async (stage) => {
    for (const what of STEPS) {
      for (const when of ["before", "after"] as const) {
        await expectWholeAfter(stage, { when, what }, async (dead) => {
          await dead.stop();
          return startInstance(stage.url, stage.receiver.url);
        });
      }
    }
  });
});
