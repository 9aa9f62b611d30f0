import { expect, test } from "vitest";
import { at, eventfulService } from "@/e2e/support/eventful-service";
import { newAccount, newGameService, putEvents } from "@/e2e/support/factories";
import { newVisitor } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";

const SERVICES = "/dashboard/game-services";

test("events of a game service are in the chart's lane and in the list", async () => {
  const { account, page } = await newVisitor();
  const id = await eventfulService(account.id);
  await page.goto(`${SERVICES}/${id}?range=24h`);
  const first = page.part("Connections a minute");
  const lane = first.find("[role=group], fieldset").filter((_, group) => page.nameOf(page.$(group)) === "Events");
  const marks = lane.find("input[type=radio]");
  expect(marks.length).toBe(5);
  expect(page.$("input[type=radio]").length).toBe(5);
  const time = (hours: number) => momentText(at(hours), "UTC");
  const words = page.textsOf(lane.find("label > span"));
  expect(words).toEqual([
    expect.stringMatching(`^● Active: since ${time(8)} UTC`),
    expect.stringMatching(`^! Failed \\(edge-1: no route to <b>origin</b>.*\\): ${time(6)} to .* UTC \\(1 h\\)$`),
    expect.stringMatching(`^✕ Edge node silent \\(edge-2\\): ${time(4)} to .* UTC \\(30 min\\)$`),
    expect.stringMatching(`^✎ Changed \\(name, origin\\) by you: ${time(3)} UTC$`),
    expect.stringMatching(`^✎ Disabling requested by you: ${time(2)} UTC$`),
  ]);
  const list = first.find("[data-outages='5']");
  expect(page.textOf(list.find("summary"))).toBe("5 events in the time shown.");
  expect(page.textsOf(list.find("li"))).toEqual(words.toReversed());
  expect(page.textOf(list)).not.toContain("recorded");
});

test("events are listed without traffic too, and only staff see the owner's name", async () => {
  const { account, page } = await newVisitor();
  const owner = await newAccount();
  const id = await eventfulService(owner.id);
  await db.serviceGrant.create({ data: { serviceId: id, accountId: account.id } });
  await db.metricSample.deleteMany({ where: { serviceId: id } });
  await page.goto(`${SERVICES}/${id}?range=24h`);
  expect(page.textOf("main")).toContain("5 events in the time shown.");
  expect(page.textOf("[data-event=settings_changed]")).toContain("Changed (name, origin) by its owner: ");
  expect(page.textOf("main")).not.toContain(owner.name);
  await db.serviceGrant.deleteMany({ where: { serviceId: id } });
  await db.account.update({ where: { id: account.id }, data: { role: "support" } });
  await db.gameService.update({ where: { id }, data: { supportAccess: true } });
  await page.goto(`${SERVICES}/${id}?range=24h`);
  expect(page.textOf("[data-event=settings_changed]")).toContain(`by ${owner.name}: `);

  // One of before there were events.
  await db.event.deleteMany({ where: { subject: "service", subjectId: id } });
  await page.reload();
  expect(page.textOf("main")).toContain("0 events in the time shown.");
  expect(page.textOf("main")).toContain("No event of this service is recorded yet.");
  await db.gameService.update({ where: { id }, data: { status: "disabled" } });
  await putEvents(["service", id], { kind: "disabled", startedAt: new Date() });
  await page.reload();
  expect(page.textOf("main")).toContain("1 event in the time shown.");
  expect(page.textOf("main")).toContain("Events of this service are recorded since");

  const { id: fresh } = await newGameService(account.id);
  await page.goto(`${SERVICES}/${fresh}`);
  expect(page.textOf(page.part("Events"))).toContain("1 event in the time shown.");
  expect(page.textOf("[data-event=pending_config]")).toContain("○ Waiting for an edge node: since");
});

test("a game service that failed or is unserved comes first and says why", async () => {
  const { account, page } = await newVisitor();
  const times = { createdAt: at(3), updatedAt: at(3) };
  const well = await newGameService(account.id, { status: "active", ...times });
  const failed = await newGameService(account.id, { status: "failed", error: "edge-1: connection refused", ...times });
  const unserved = await newGameService(account.id, { status: "active", ...times });
  await putEvents(["service", unserved.id], { kind: "unserved", startedAt: at(2) });
  await page.goto(SERVICES);
  const rows = page.$("tr[data-service]");
  expect(rows.toArray().map((row) => Number(page.$(row).attr("data-service")))).toEqual([
    failed.id,
    unserved.id,
    well.id,
  ]);
  const [first = "", second = "", third = ""] = page.textsOf("tr[data-service]");
  expect(first).toContain("Failed for 3 hedge-1: connection refused");
  expect(second).toContain("Active, but served by no live edge node for 2 h");
  expect(rows.eq(0).find("data.danger[value=failed]").length).toBe(1);
  expect(rows.eq(1).find(".good").length).toBe(0);
  expect(rows.eq(2).find("data.good[value=active]").length).toBe(1);
  expect(third).not.toContain(" for ");
  await page.goto(`${SERVICES}/${unserved.id}`);
  expect(page.textOf("main header")).toContain("served by no live edge node for 2 h");
  expect(page.$("main header .good").length).toBe(0);
  expect(page.textOf("main")).toContain("Players may still reach the origin");
});
