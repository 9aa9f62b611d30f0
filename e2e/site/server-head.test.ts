import { expect, test } from "vitest";
import { ago, newServer, putEvents, putSample, sampled } from "@/e2e/support/factories";
import { sendSample } from "@/e2e/support/record-check-in";
import { newVisitor, visitorWithServer } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { DASHBOARD, serverPath } from "@/lib/page-paths";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";

const OTHERS = "Other servers";

test("the switcher keeps the list's order and filter, and says the place in it", async () => {
  const { account, page } = await newVisitor();
  const make = async (label: string, diskUsedPct: number, lastSeenAt = new Date()) => {
    const { id } = await newServer(account.id, { label, createdAt: ago(DAY), lastSeenAt });
    await putSample(id, lastSeenAt, { cpuPct: 5, memUsedMb: 1, memTotalMb: 10, netLossPct: 0, diskUsedPct });
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
  await page.follow(/Previous server: front well/, page.part(OTHERS));
  expect(page.heading).toBe("front well");
  // Round.
  await page.follow(/Previous server: front full/, page.part(OTHERS));
  expect(page.heading).toBe("front full");
  // A range keeps the list, and the way back leads to it.
  await page.follow("7 days");
  expect(page.path).toMatch(/range=7d/);
  expect(place()).toContain("2 of 2");
  await page.follow("Servers", page.$("main"));
  expect(page.path).toBe("/dashboard?order=-name&q=front");
});

test("an account with one server has nothing to switch to", async () => {
  const { page, id } = await visitorWithServer();
  await page.goto(serverPath(id));
  expect(page.textsOf("h2")).toContain("Set it up");
  expect(page.hasPart(OTHERS)).toBe(false);
});

test("a page says why its server's data is refused until the next check-in", async () => {
  const { account, page } = await newVisitor("customer", { timeZone: "Asia/Tokyo" });
  const refusedSince = new Date(Date.now() - 3 * DAY);
  const reason = 'This key already reports for "<b>web-1</b>".';
  const { id } = await newServer(account.id, { refusal: reason, refusedSince });
  const told = () => page.textsOf("main .notice");
  await page.goto(serverPath(id));
  expect(told()).toEqual([
    `What is sent for this server is not used, since ${momentText(refusedSince, "Asia/Tokyo")} Asia/Tokyo (3 days): ${reason}`,
  ]);
  const arrivedAt = new Date();
  await storeCheckIn(id, {}, { sampledAt: arrivedAt, arrivedAt });
  await page.goto(serverPath(id));
  expect(told()).toEqual([]);
});

test("the head and fleet row of a strained server say since when and why", async () => {
  const zone = "Asia/Tokyo";
  const { account, page } = await newVisitor("customer", { timeZone: zone });
  const strainedAt = new Date(Math.floor(Date.now() / MINUTE) * MINUTE - 3 * HOUR);
  const now = new Date();
  const bad = { cpuPct: 100, diskUsedPct: 90 };
  const { id: strained } = await newServer(account.id, sampled(now, bad));
  await putEvents(strained, { kind: "strained", startedAt: strainedAt, facts: { cause: "cpu", score: 680 } });
  const { id: restless } = await newServer(account.id, sampled(now, {}, { reboots: 1 }));
  const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * MINUTE);
  const [down, back] = [minutesAgo(13 * 60), minutesAgo(12 * 60)];
  await putEvents(
    restless,
    // The second began before the last 24 hours and ended in them, the first ended before.
    { kind: "offline", startedAt: minutesAgo(1490), endedAt: minutesAgo(1450) },
    { kind: "offline", startedAt: minutesAgo(1445), endedAt: minutesAgo(1435) },
    { kind: "offline", startedAt: down, endedAt: back },
    { kind: "offline", startedAt: minutesAgo(60), endedAt: minutesAgo(30) },
    { kind: "rebooted", startedAt: down, endedAt: down },
  );
  await db.maintenanceTime.create({
    data: { serverId: restless, startedAt: minutesAgo(61), endedAt: minutesAgo(29) },
  });
  const state = () => page.textOf(page.$("main header").first().find("strong"));
  const since = `${momentText(strainedAt, zone)} ${zone}`;
  await page.goto(serverPath(strained));
  expect(state()).toBe(`Strained since ${since} (CPU)`);
  const events = page.textsOf("[data-event]").filter((text) => text.includes("Strained"));
  expect(events.join()).toContain(`since ${since}`);
  await page.goto(serverPath(restless));
  expect(state()).toBe("Needs attention: offline 2 times, 1 restart in 24 hours");
  expect(page.textsOf("[data-outages] summary")[0]).toMatch(/^Offline 2 times in 24 hours, 1 h [45] min/);
  // The fleet says the same, as long as it is ago.
  await page.goto(DASHBOARD);
  const cause = (id: number) => page.textOf(`tr[data-server="${id}"] td:nth-child(8)`);
  expect(cause(strained)).toMatch(/^CPU: 100\s% busy for 3\sh, last seen/);
  expect(cause(restless)).toMatch(/^Offline 2 times, 1 restart last 12 h ago, last seen/);
  // One that has become critical says both.
  const worse = sampled(new Date(), { ...bad, memUsedMb: 1000, diskUsedPct: 99 });
  await db.server.update({ where: { id: strained }, data: worse });
  await page.goto(serverPath(strained));
  expect(state()).toBe(`Critical, strained since ${since} (CPU)`);
});

test("a restart makes a server need attention for exactly 24 hours", async () => {
  const { account, page } = await newVisitor();
  const now = new Date();
  const restarted = async (ago: number) => {
    const { id } = await newServer(account.id, sampled(now));
    const at = new Date(now.getTime() - ago);
    await putEvents(id, { kind: "rebooted", startedAt: at, endedAt: at });
    return id;
  };
  const [within, before] = [await restarted(DAY - 3 * MINUTE), await restarted(DAY + 3 * MINUTE)];
  const day = { oomKills: 2, failedUnits: 3, lastOomAt: now.getTime() - 5 * HOUR };
  const { id: killing } = await newServer(account.id, sampled(now, { failedUnits: 3 }, day));
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

test("a server page says when two machines report with one key", async () => {
  const { page, id } = await visitorWithServer();
  const start = Date.now() - 45 * SECOND;
  const notice = "Two daemons report for this server with the same key";
  for (const [daemon, second] of [
    ["one", 0],
    ["one", 10],
    ["other", 20],
  ] as const) {
    await sendSample(id, start + second * SECOND, {}, { daemon });
  }
  await page.goto(serverPath(id));
  expect(page.text).toContain("Online");
  expect(page.text).not.toContain(notice);
  await sendSample(id, start + 30 * SECOND, {}, { daemon: "one" });
  await page.goto(serverPath(id));
  expect(page.text).toContain(notice);
});
