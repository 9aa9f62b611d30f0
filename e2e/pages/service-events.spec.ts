import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newAccount, newGameService } from "@/e2e/support/factories";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { momentText } from "@/lib/format/relative-time";
import { HOUR, MINUTE } from "@/lib/format/time";

// Of one moment, because a minute may end between what is stored and what is expected.
const NOW = Math.floor(Date.now() / MINUTE) * MINUTE;
const at = (hours: number) => new Date(NOW - hours * HOUR);

/** A service of eight hours with a few events, which edge nodes count. */
async function eventfulService(accountId: number): Promise<number> {
  const times = { createdAt: at(8), updatedAt: at(8) };
  const { id } = await newGameService(accountId, { status: "active", ...times });
  const rows = [
    ["failed", 6, 5, { error: "edge-1: no route to <b>origin</b>\u202E" }],
    ["node_silent", 4, 3.5, { node: "edge-2", node_id: 2 }],
    ["settings_changed", 3, 3, { by: accountId, what: "name, origin" }],
    ["turned_off", 2, 2, { by: accountId }],
  ] as const;
  await db.serviceEvent.createMany({
    data: rows.map(([kind, from, to, facts]) => ({
      ...{ serviceId: id, kind, facts, startedAt: at(from), endedAt: at(to) },
    })),
  });
  const counted = { nodeId: 1, packets: 5n, bytes: 5n, dropped: 0n, connections: 5n };
  await db.metricSample.createMany({ data: [1, 2, 3].map((hours) => ({ serviceId: id, ts: at(hours), ...counted })) });
  return id;
}

withAndWithoutJavaScript((hasJavaScript) => {
  test("what happened to a game service is in the lane under its first chart, where one stop of the Tab key and the arrow keys lead from mark to mark and say sign, word and time, and in the list below", async ({
    page,
    account,
  }) => {
    const id = await eventfulService(account.id);
    await page.goto(`/dashboard/game-services/${id}?range=24h`);
    const first = page.getByRole("figure", { name: "Connections a minute" });
    const lane = first.getByRole("group", { name: "Events" });
    const marks = lane.getByRole("radio");
    await expect(marks).toHaveCount(5);
    await expect(page.getByRole("radio")).toHaveCount(5);
    await expect(marks.nth(2)).toHaveAccessibleName(/^Edge node silent \(edge-2\): /);
    const time = (hours: number) => momentText(at(hours), "UTC");
    const words = lane.locator("label > span");
    await expect(words).toHaveText([
      new RegExp(`^● Active: since ${time(8)} UTC`),
      new RegExp(`^! Failed \\(edge-1: no route to <b>origin</b>.*\\): ${time(6)} to .* UTC \\(1 h\\)$`),
      new RegExp(`^✕ Edge node silent \\(edge-2\\): ${time(4)} to .* UTC \\(30 min\\)$`),
      new RegExp(`^✎ Changed \\(name, origin\\) by you: ${time(3)} UTC$`),
      new RegExp(`^✎ Disabling requested by you: ${time(2)} UTC$`),
    ]);
    await expect(words.filter({ visible: true })).toHaveCount(0);
    await marks.first().focus();
    for (const [index, key] of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "Tab"].entries()) {
      await expect(words.filter({ visible: true })).toHaveCount(1);
      await expect(words.nth(index)).toBeVisible();
      await page.keyboard.press(key);
    }
    await expect(lane.locator(":focus")).toHaveCount(0);
    await lane.locator("rect[data-mark=node_silent]").hover();
    await expect(words.nth(2)).toBeVisible();

    const list = first.locator("[data-outages='5']");
    await expect(list.locator("summary")).toHaveText("5 events in the time shown.");
    await list.locator("summary").click();
    await expect(list.getByRole("listitem")).toHaveText(
      (await words.allTextContents()).toReversed().map((text) => text.trim()),
    );
    await expect(list).not.toContainText("recorded");
    // axe is a script.
    if (hasJavaScript) await expectAccessible(page);
    await expectToFit(page);
  });
});

test("events of a time in which nothing was counted, and of a service that is new, are listed; others see who changed it as its owner, and staff by name", async ({
  page,
  account,
}) => {
  const owner = await newAccount();
  const id = await eventfulService(owner.id);
  await db.serviceGrant.create({ data: { serviceId: id, accountId: account.id } });
  await db.metricSample.deleteMany({ where: { serviceId: id } });
  await page.goto(`/dashboard/game-services/${id}?range=24h`);
  await page.getByText("5 events in the time shown.").click();
  await expect(page.locator("[data-event=settings_changed]")).toContainText("Changed (name, origin) by its owner: ");
  await expect(page.locator("main")).not.toContainText(owner.name);
  await db.serviceGrant.deleteMany({ where: { serviceId: id } });
  await db.account.update({ where: { id: account.id }, data: { role: "support" } });
  await db.gameService.update({ where: { id }, data: { supportAccess: true } });
  await page.goto(`/dashboard/game-services/${id}?range=24h`);
  await page.getByText("5 events in the time shown.").click();
  await expect(page.locator("[data-event=settings_changed]")).toContainText(`by ${owner.name}: `);

  // One of before there were events.
  await db.serviceEvent.deleteMany({ where: { serviceId: id } });
  await page.reload();
  await page.getByText("0 events in the time shown.").click();
  await expect(page.getByText("No event of this service is recorded yet.")).toBeVisible();
  await db.gameService.update({ where: { id }, data: { status: "disabled" } });
  await page.reload();
  await page.getByText("1 event in the time shown.").click();
  await expect(page.getByText("Events of this service are recorded since")).toBeVisible();

  const { id: fresh } = await newGameService(account.id);
  await page.goto(`/dashboard/game-services/${fresh}`);
  await page.getByRole("region", { name: "Events" }).getByText("1 event in the time shown.").click();
  await expect(page.locator("[data-event=pending_config]")).toContainText("○ Waiting for an edge node: since");
});

test("a game service that failed, or that no live edge node has, comes before the others and says why and for how long; nothing about the latter is green", async ({
  page,
  account,
}) => {
  const times = { createdAt: at(3), updatedAt: at(3) };
  const well = await newGameService(account.id, { status: "active", ...times });
  const failed = await newGameService(account.id, { status: "failed", error: "edge-1: connection refused", ...times });
  const unserved = await newGameService(account.id, { status: "active", ...times });
  await db.serviceEvent.create({ data: { serviceId: unserved.id, kind: "unserved", startedAt: at(2) } });
  await page.goto("/dashboard/game-services");
  const rows = page.locator("tr[data-service]");
  const ids = () => rows.evaluateAll((all) => all.map((row) => Number(row.getAttribute("data-service"))));
  expect(await ids()).toEqual([failed.id, unserved.id, well.id]);
  await expect(rows.nth(0)).toContainText("Failed for 3 hedge-1: connection refused");
  await expect(rows.nth(1)).toContainText("Active, but served by no live edge node for 2 h");
  await expect(rows.nth(1).locator(".good")).toHaveCount(0);
  await expect(rows.nth(2)).not.toContainText(" for ");
  await page.goto(`/dashboard/game-services/${unserved.id}`);
  await expect(page.getByRole("main").locator("header")).toContainText("served by no live edge node for 2 h");
  await expect(page.getByRole("main").locator("header .good")).toHaveCount(0);
  await expect(page.getByText("Players may still reach the origin")).toBeVisible();
});
