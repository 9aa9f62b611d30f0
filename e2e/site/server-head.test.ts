import { expect, test } from "vitest";
import { newServer, steadyRecord } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { newVisitor } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { DASHBOARD, serverPath } from "@/lib/page-paths";

const OTHERS = "Other servers";

test("the switcher goes through all servers in the order of their names, round and back", async () => {
  const { account, page } = await newVisitor();
  for (const label of ["web 2", "web 10", "alpha"]) await newServer(account.id, { label });
  await page.goto("/dashboard?order=name");
  await page.follow("alpha", page.rows("alpha"));
  expect(page.heading).toBe("alpha");
  for (const label of ["web 2", "web 10", "alpha"]) {
    await page.follow(new RegExp(`^${label} .*the next server$`), page.part(OTHERS));
    expect(page.heading).toBe(label);
  }
  await page.follow(/Previous server: web 10/, page.part(OTHERS));
  expect(page.heading).toBe("web 10");
});

test("the switcher follows the list that somebody came from, worst first and with its filter, and says the place in it", async () => {
  const { account, page } = await newVisitor();
  const ago = (ms: number) => new Date(Date.now() - ms);
  const make = async (label: string, diskUsedPct: number, lastSeenAt = new Date()) => {
    const { id } = await newServer(account.id, { label, createdAt: ago(DAY), lastSeenAt });
    await db.telemetrySample.create({
      data: { serverId: id, ts: lastSeenAt, cpuPct: 5, memUsedMb: 1, memTotalMb: 10, netLossPct: 0, diskUsedPct },
    });
  };
  await make("front well", 10);
  await make("front full", 99);
  await make("silent", 10, ago(HOUR));
  await make("back full", 97);
  const place = () => page.textOf(page.part(OTHERS));
  const walk = async (list: string, first: string, others: string[]) => {
    await page.goto(list);
    await page.follow(first, page.$("tr[data-server] th"));
    expect(page.heading).toBe(first);
    const places = others.length + 1;
    expect(place()).toContain(`1 of ${places}`);
    for (const [index, label] of others.entries()) {
      await page.follow(/the next server$/, page.part(OTHERS));
      expect(page.heading).toBe(label);
      expect(place()).toContain(`${index + 2} of ${places}`);
    }
  };
  await walk("/dashboard", "silent", ["front full", "back full", "front well"]);
  await walk("/dashboard?show=attention", "front full", ["back full"]);
  await walk("/dashboard?q=front&order=-name", "front well", ["front full"]);
  // A range keeps the list, and the way back leads to it.
  await page.follow("7 days");
  expect(page.path).toMatch(/range=7d/);
  expect(place()).toContain("2 of 2");
  await page.follow("Servers", page.$("main"));
  expect(page.path).toBe("/dashboard?order=-name&q=front");
});

test("an account with one server has nothing to switch to", async () => {
  const { account, page } = await newVisitor();
  const { id } = await newServer(account.id);
  await page.goto(serverPath(id));
  expect(page.textsOf("h2")).toContain("Set it up");
  expect(page.hasPart(OTHERS)).toBe(false);
});

test("the head of a server that is not well, and its row of the fleet, say since when and why, in the account's zone; of one that only outages and restarts make need somebody, how many there were outside of maintenance and when the last was", async () => {
  const { account, page } = await newVisitor();
  const zone = "Asia/Tokyo";
  await db.account.update({ where: { id: account.id }, data: { timeZone: zone } });
  const fullAt = new Date(Math.floor(Date.now() / MINUTE) * MINUTE - 3 * HOUR);
  const start = new Date(fullAt.getTime() - DAY);
  const times = { createdAt: start, firstSeenAt: start, lastSeenAt: new Date() };
  const { id: full } = await newServer(account.id, { ...times, stability: steadyRecord() });
  const { id: restless } = await newServer(account.id, { ...times, stability: restlessRecord() });
  // A check-in of now is another sample than the last of these.
  for (const id of [full, restless]) {
    await db.$executeRaw`
      insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, net_loss_pct, disk_used_pct)
      select ${id}, ts, 10, 100, 1000, 0, case when ts >= ${fullAt} and ${id === full} then 99 else 40 end
      from generate_series(${times.createdAt}, ${new Date(Date.now() - 20 * SECOND)}, interval '1 minute') ts`;
  }
  const run = { is: true, since: fullAt.getTime(), told: fullAt.getTime() };
  await db.server.update({ where: { id: full }, data: { conditions: { disk_full: run, unwell: run } } });
  await db.serverEvent.create({
    data: { serverId: full, kind: "disk_full", startedAt: fullAt, facts: { percent: 99 } },
  });
  const [down, back] = [new Date(Date.now() - 13 * HOUR), new Date(Date.now() - 12 * HOUR)];
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE);
  await db.serverEvent.createMany({
    data: [
      // The second began before the last 24 hours and ended in them, the first ended before.
      { serverId: restless, kind: "offline", startedAt: minutesAgo(1490), endedAt: minutesAgo(1450) },
      { serverId: restless, kind: "offline", startedAt: minutesAgo(1445), endedAt: minutesAgo(1435) },
      { serverId: restless, kind: "offline", startedAt: down, endedAt: back },
      { serverId: restless, kind: "offline", startedAt: minutesAgo(60), endedAt: minutesAgo(30) },
      { serverId: restless, kind: "rebooted", startedAt: down, endedAt: down },
    ],
  });
  await db.maintenanceTime.create({
    data: { serverId: restless, startedAt: minutesAgo(61), endedAt: minutesAgo(29) },
  });
  const state = () => page.textOf(page.$("main header").first().find("strong"));
  const fullSince = `${momentText(fullAt, zone)} ${zone}`;
  await page.goto(serverPath(full));
  expect(state()).toBe(`Needs attention since ${fullSince} (disk)`);
  expect(
    page
      .textsOf("[data-event]")
      .filter((text) => text.includes("Disk full"))
      .join(),
  ).toContain(`since ${fullSince}`);
  await page.goto(serverPath(restless));
  expect(state()).toBe("Needs attention: offline 2 times, 2 restarts in 24 hours");
  expect(page.textsOf("[data-outages] summary")[0]).toMatch(/^Offline 2 times in 24 hours, 1 h [45] min/);
  // The fleet says the same, as long as it is ago.
  await page.goto(DASHBOARD);
  const cause = (id: number) => page.textOf(`tr[data-server="${id}"] td:nth-child(8)`);
  expect(cause(full)).toMatch(/^Disk: 99\s% full for 3\sh, last seen/);
  // Its score is healthy in part: the line of its day is not, since then.
  expect(page.$(`tr[data-server="${full}"] svg path`).last().attr("data-level")).toMatch(/strained|critical/);
  expect(cause(restless)).toMatch(/^Offline 2 times, 2 restarts last 12 h ago, last seen/);
  // Of the time before events were recorded it is not known.
  const { since } = await db.consolePresence.findUniqueOrThrow({ where: { id: 1 } });
  const long = { is: true, since: since.getTime(), told: since.getTime() };
  const earlier = new Date(since.getTime() - DAY);
  await db.server.update({ where: { id: full }, data: { conditions: { unwell: long }, firstSeenAt: earlier } });
  await page.goto(serverPath(full));
  expect(state()).toBe(`Needs attention since ${momentText(since, zone)} ${zone} or earlier (disk)`);
  // A strained one that has become critical says both.
  await db.server.update({ where: { id: full }, data: { conditions: { strained: run, unwell: run } } });
  await recordCheckIn(full, { sample: { cpuPct: 100, memUsedMb: 999, memTotalMb: 1000, diskUsedPct: 99 } });
  await page.goto(serverPath(full));
  expect(state()).toBe(`Critical, strained since ${fullSince} (CPU)`);
});

test("a restart makes a server need attention for 24 hours, whatever the hour of the clock, and no longer; processes killed for lack of memory do with failed services, and say when the last one was", async () => {
  const { account, page } = await newVisitor();
  const [now, createdAt] = [Date.now(), new Date(Date.now() - 2 * DAY)];
  const steady = steadyRecord();
  const sampled = async (stability: object) => {
    const times = { createdAt, firstSeenAt: createdAt, lastSeenAt: new Date() };
    const { id } = await newServer(account.id, { ...times, stability });
    await db.$executeRaw`
      insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, net_loss_pct, disk_used_pct)
      select ${id}, ts, 10, 100, 1000, 0, 40 from generate_series(${createdAt}, ${new Date()}, interval '1 minute') ts`;
    return id;
  };
  const restarted = async (ago: number) => {
    const id = await sampled(steady);
    const at = new Date(now - ago);
    await db.serverEvent.create({ data: { serverId: id, kind: "rebooted", startedAt: at, endedAt: at } });
    return id;
  };
  const [within, before] = [await restarted(DAY - 3 * MINUTE), await restarted(DAY + 3 * MINUTE)];
  const killed = { events: [{ hour: steady.until - 5, reboots: 0, oom_kills: 2 }], last_oom_at: now - 5 * HOUR };
  const killing = await sampled({ ...steady, ...killed, failed_units: 3 });
  const head = () => page.textOf(page.$("main header").first());
  const state = () => page.textOf(page.$("main header").first().find("strong"));
  await page.goto(serverPath(within));
  expect(state()).toBe("Needs attention: 1 restart in 24 hours");
  await page.goto(serverPath(before));
  expect(head()).toContain("Online");
  expect(head()).not.toContain("restart");
  await page.goto(DASHBOARD);
  const row = (id: number) => page.textOf(`tr[data-server="${id}"]`);
  expect(row(within)).toContain("Needs attention");
  expect(row(within)).toContain("1 restart last 23 h ago, last seen");
  expect(row(before)).toContain("Online");
  expect(row(killing)).toContain("2 processes killed for lack of memory last 5 h ago, last seen");
  await page.goto(serverPath(killing));
  expect(state()).toBe("Needs attention: 2 processes killed for lack of memory in 24 hours");
});

/** A day in which a machine restarted twice. */
function restlessRecord() {
  const steady = steadyRecord();
  return { ...steady, events: [{ hour: steady.until - 12, reboots: 2, oom_kills: 0 }] };
}
