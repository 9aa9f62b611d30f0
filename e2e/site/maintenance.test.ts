import { expect, test } from "vitest";
import { newAccount, newServer, putEvents, putSample } from "@/e2e/support/factories";
import { newVisitor } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";

const ZONE = "Europe/Berlin";
const planned = (page: Visitor) => (page.hasPart("Planned") ? page.part("Planned").find("li").length : 0);

test("maintenance is planned in the account's zone, listed and called off", async () => {
  const { account, page } = await newVisitor("customer", { timeZone: ZONE });
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - DAY), lastSeenAt: new Date() });
  await page.goto(`/dashboard/servers/${id}/settings`);
  const form = () => page.part("Maintenance");
  expect(page.textOf(form())).toContain(ZONE);
  const from = Math.floor(Date.now() / HOUR) * HOUR + 30 * HOUR;
  const plan = (begin: number, end: number) =>
    page.press("Plan", { From: clockField(begin, ZONE), to: clockField(end, ZONE) }, { within: form() });
  await plan(from, from - HOUR);
  expect(page.textOf(form().find("[role=alert]"))).toContain("ends before it begins");
  expect(page.value("From", form())).toBe(clockField(from, ZONE));
  expect(page.field("From", form()).attr("aria-invalid")).toBe("true");
  await plan(from, from + 2 * HOUR);
  expect(page.textOf(form().find("[role=status]"))).toMatch(
    /^Planned for 1 server: .* \(2 h\)\. This time is left out of the uptime\.$/,
  );
  expect(planned(page)).toBe(1);
  const select = { startedAt: true, endedAt: true };
  expect(await db.maintenanceTime.findMany({ where: { serverId: id }, select })).toEqual([
    { startedAt: new Date(from), endedAt: new Date(from + 2 * HOUR) },
  ]);
  await page.press("Call off", {}, { within: page.part("Planned") });
  expect(page.text).toContain("The maintenance is called off.");
  expect(planned(page)).toBe(0);
  expect(await db.maintenanceTime.count({ where: { serverId: id } })).toBe(0);
  // What was entered afterwards, and by mistake.
  await plan(from - 40 * HOUR, from - 39 * HOUR);
  expect(planned(page)).toBe(1);
  await page.press("Call off", {}, { within: page.part("Planned") });
  expect(planned(page)).toBe(0);
  expect(await db.maintenanceTime.count({ where: { serverId: id } })).toBe(0);
});

test("maintenance of several servers is planned at once, or for none of them", async () => {
  const { account, page } = await newVisitor();
  const stranger = await newServer((await newAccount()).id);
  const [one, two, busy] = [
    await newServer(account.id, { label: "one" }),
    await newServer(account.id, { label: "two" }),
    await newServer(account.id, { label: "busy" }),
  ];
  const from = Math.floor(Date.now() / HOUR) * HOUR + 30 * HOUR;
  const times = { startedAt: new Date(from), endedAt: new Date(from + 2 * HOUR) };
  await db.maintenanceTime.create({
    data: { serverId: busy.id, startedAt: new Date(from + HOUR), endedAt: new Date(from + 3 * HOUR) },
  });
  const stored = () =>
    db.maintenanceTime.findMany({
      where: { server: { accountId: account.id }, startedAt: times.startedAt },
      select: { serverId: true, startedAt: true, endedAt: true },
      orderBy: { serverId: "asc" },
    });
  await page.goto("/dashboard?order=name");
  await page.follow("Maintenance…");
  expect(page.path).toBe("/dashboard/servers/maintenance?order=name");
  const form = () => page.part("Maintenance of several servers");
  const boxes = () => form().find("input[type=checkbox]");
  const marked = () => boxes().filter("[checked]").length;
  const [begin, end] = [clockField(from, "UTC"), clockField(from + 2 * HOUR, "UTC")];
  await page.press("Plan maintenance", { From: begin, to: end });
  expect(page.alerts.join()).toContain("Choose at least one server.");
  await page.press("Plan maintenance", { one: true, busy: true });
  expect(page.alerts.join()).toContain("Nothing was planned: busy has maintenance already from");
  expect(await stored()).toEqual([]);
  expect([page.value("From", form()), page.value("to", form()), marked()]).toEqual([begin, end, 2]);
  await page.press("Plan maintenance", { to: clockField(from - HOUR, "UTC") });
  expect(page.alerts.join()).toContain("This time ends before it begins.");
  expect(marked()).toBe(2);
  // A server of another account refuses it for all.
  page.fill({ busy: false, two: true }, form());
  page.field("two", form()).attr("value", String(stranger.id));
  await page.press("Plan maintenance", { to: end });
  expect(page.alerts.join()).toContain("Nothing was planned: some of these servers no longer exist.");
  expect(await db.maintenanceTime.count({ where: { serverId: stranger.id } })).toBe(0);
  expect(await stored()).toEqual([]);
  await page.goto("/dashboard/servers/maintenance?order=name");
  await page.press("Plan maintenance", { one: true, two: true, From: begin, to: end });
  expect(page.statuses.join()).toMatch(/Planned for 2 servers: .* \(2 h\)\. /);
  // The next plan is not of the same servers.
  expect([marked(), page.value("From", form())]).toEqual([0, ""]);
  expect(await stored()).toEqual([
    { serverId: one.id, ...times },
    { serverId: two.id, ...times },
  ]);
  await page.goto(`/dashboard/servers/${two.id}/settings`);
  expect(planned(page)).toBe(1);
});

test("the page of a server says how much maintenance its uptime leaves out", async () => {
  const { account, page } = await newVisitor();
  const now = Date.now();
  const { id } = await newServer(account.id, {
    ...{ createdAt: new Date(now - 90 * DAY), firstSeenAt: new Date(now - 90 * DAY), lastSeenAt: new Date() },
  });
  await putSample(id, new Date(), { cpuPct: 5 });
  await db.maintenanceTime.create({
    data: { serverId: id, startedAt: new Date(now - DAY), endedAt: new Date(now + DAY) },
  });
  const thisMonth = new Date(now);
  const last = Date.UTC(thisMonth.getUTCFullYear(), thisMonth.getUTCMonth() - 1, 1);
  await putEvents(
    id,
    ...[3, 5].map((day) => ({
      ...{ kind: "offline", startedAt: new Date(last + day * DAY), endedAt: new Date(last + day * DAY + HOUR) },
    })),
  );
  await page.goto(`/dashboard/servers/${id}`);
  expect(page.textOf("[data-uptime='24 hours']")).toMatch(/of maintenance left out/);
  expect(page.text).toMatch(/[234] months before this one/);
  const name = new Date(last).toLocaleDateString("en-GB", { month: "long", year: "numeric", timeZone: "UTC" });
  expect(page.textOf(`[data-uptime='${name}']`)).toMatch(/99\.\d+ %: 2 h offline in 2 outages/);
  expect(page.link("Plan maintenance").attr("href")).toMatch(
    new RegExp(`^/dashboard/servers/${id}/settings#maintenance$`),
  );
  await page.goto(`/dashboard/servers/${id}/events.csv`);
  expect(page.html).toContain(`maintenance,${new Date(now - DAY).toISOString()},${new Date(now + DAY).toISOString()}`);
});
