import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newAccount, newServer } from "@/e2e/support/factories";
import { expect, signInDirectly, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";

const ZONE = "Europe/Berlin";

withAndWithoutJavaScript((hasJavaScript) => {
  test("maintenance is planned by a form in the zone of the account, listed, and called off; what cannot be planned gets a sentence beside its field", async ({
    page,
    account,
  }) => {
    await db.account.update({ where: { id: account.id }, data: { timeZone: ZONE } });
    const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - DAY), lastSeenAt: new Date() });
    await page.goto(`/dashboard/servers/${id}/settings`);
    const form = page.getByRole("form", { name: "Maintenance" });
    await expect(form).toContainText(ZONE);
    const from = Math.floor(Date.now() / HOUR) * HOUR + 30 * HOUR;
    const fill = async (begin: number, end: number) => {
      await form.getByLabel("From").fill(clockField(begin, ZONE));
      await form.getByLabel("to", { exact: true }).fill(clockField(end, ZONE));
      await form.getByRole("button", { name: "Plan" }).click();
    };
    // As somebody types it who does not look: month, day, year, hour, minute.
    await form.getByLabel("From").pressSequentially("030420271005PM");
    await expect(form.getByLabel("From")).toHaveValue("2027-03-04T22:05");
    await fill(from, from - HOUR);
    await expect(form.getByRole("alert").filter({ hasText: "ends before it begins" })).toBeVisible();
    await expect(form.getByLabel("From")).toHaveValue(clockField(from, ZONE));
    await expect(form.getByLabel("From")).toHaveAttribute("aria-invalid", "true");
    await fill(from, from + 2 * HOUR);
    await expect(form.getByRole("status")).toHaveText(/^Planned: .* \(2 h\)\. Its time is left out of the uptime\.$/);
    const planned = page.getByRole("list", { name: "Planned" }).getByRole("listitem");
    await expect(planned).toHaveCount(1);
    expect(
      await db.maintenanceTime.findMany({ where: { serverId: id }, select: { startedAt: true, endedAt: true } }),
    ).toEqual([{ startedAt: new Date(from), endedAt: new Date(from + 2 * HOUR) }]);
    // axe is a script.
    if (hasJavaScript) await expectAccessible(page);
    await expectToFit(page);
    await planned.getByRole("button", { name: "Call off" }).click();
    await expect(page.getByText("The maintenance is called off.")).toBeVisible();
    await expect(planned).toHaveCount(0);
    expect(await db.maintenanceTime.count({ where: { serverId: id } })).toBe(0);
    // What was entered afterwards, and by mistake.
    await fill(from - 40 * HOUR, from - 39 * HOUR);
    await expect(planned).toHaveCount(1);
    await planned.getByRole("button", { name: "Call off" }).click();
    await expect(planned).toHaveCount(0);
    expect(await db.maintenanceTime.count({ where: { serverId: id } })).toBe(0);
  });

  test("maintenance of several servers is planned at once, for the marked ones or for a whole list; what cannot be planned plans none and keeps what was typed and marked", async ({
    page,
    account,
  }) => {
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
    const planned = () =>
      db.maintenanceTime.findMany({
        where: { server: { accountId: account.id }, startedAt: times.startedAt },
        select: { serverId: true, startedAt: true, endedAt: true },
        orderBy: { serverId: "asc" },
      });
    await page.goto("/dashboard?order=name");
    await page.getByRole("link", { name: "Maintenance…" }).click();
    await expect(page).toHaveURL("/dashboard/servers/maintenance?order=name");
    const form = page.getByRole("form", { name: "Maintenance of several servers" });
    const [begin, end] = [form.getByLabel("From"), form.getByLabel("to", { exact: true })];
    const plan = form.getByRole("button", { name: "Plan maintenance" });
    const alert = (hasText: string) => page.getByRole("alert").filter({ hasText });
    await begin.fill(clockField(from, "UTC"));
    await end.fill(clockField(from + 2 * HOUR, "UTC"));
    await plan.click();
    await expect(alert("Choose at least one server.")).toBeVisible();
    for (const label of ["one", "busy"]) await form.getByRole("checkbox", { name: label }).check();
    await plan.click();
    await expect(alert("Nothing was planned: busy has maintenance already from")).toBeVisible();
    expect(await planned()).toEqual([]);
    await expect(begin).toHaveValue(clockField(from, "UTC"));
    await expect(end).toHaveValue(clockField(from + 2 * HOUR, "UTC"));
    await expect(form.getByRole("checkbox", { checked: true })).toHaveCount(2);
    await end.fill(clockField(from - HOUR, "UTC"));
    await plan.click();
    await expect(alert("This time ends before it begins.")).toBeVisible();
    await expect(form.getByRole("checkbox", { checked: true })).toHaveCount(2);
    await form.getByRole("checkbox", { name: "busy" }).uncheck();
    await form.getByRole("checkbox", { name: "two" }).check();
    await end.fill(clockField(from + 2 * HOUR, "UTC"));
    // A server of another account refuses it for all.
    const box = form.getByRole("checkbox", { name: "two" });
    await box.evaluate((input, id) => input.setAttribute("value", id), String(stranger.id));
    await plan.click();
    await expect(alert("Nothing was planned: some of these servers no longer exist.")).toBeVisible();
    expect(await db.maintenanceTime.count({ where: { serverId: stranger.id } })).toBe(0);
    expect(await planned()).toEqual([]);
    await page.goto("/dashboard/servers/maintenance?order=name");
    for (const label of ["one", "two"]) await form.getByRole("checkbox", { name: label }).check();
    await begin.fill(clockField(from, "UTC"));
    await end.fill(clockField(from + 2 * HOUR, "UTC"));
    await plan.click();
    await expect(page.getByRole("status").filter({ hasText: /^Planned for 2 servers: .* \(2 h\)\. / })).toBeVisible();
    // The next plan is not of the same servers.
    await expect(form.getByRole("checkbox", { checked: true })).toHaveCount(0);
    await expect(begin).toHaveValue("");
    expect(await planned()).toEqual([
      { serverId: one.id, ...times },
      { serverId: two.id, ...times },
    ]);
    if (hasJavaScript) await expectAccessible(page);
    await expectToFit(page);
    await page.goto(`/dashboard/servers/${two.id}/settings`);
    await expect(page.getByRole("list", { name: "Planned" }).getByRole("listitem")).toHaveCount(1);

    // A list that no page holds whole. Two of it have the same maintenance already.
    await db.server.createMany({
      data: Array.from({ length: 100 }, (_, index) => ({
        accountId: account.id,
        label: `many ${index}`,
        hostname: "h",
      })),
    });
    await db.maintenanceTime.deleteMany({ where: { serverId: busy.id } });
    await page.goto("/dashboard/servers/maintenance?order=-name&page=2");
    await expect(form.getByRole("checkbox")).toHaveCount(4);
    await expect(page.getByRole("navigation", { name: "Pages" })).toHaveText("PreviousPage 2 of 2");
    await begin.fill(clockField(from, "UTC"));
    await end.fill(clockField(from + 2 * HOUR, "UTC"));
    await form.getByRole("checkbox", { name: "All 103 servers of this list" }).check();
    await plan.click();
    await expect(page.getByRole("status").filter({ hasText: "Planned for 103 servers: " })).toBeVisible();
    expect(await planned()).toHaveLength(103);
  });

  test("the page of a server says how much maintenance is left out of its uptime, and the uptime of the months that have ended", async ({
    page,
    account,
  }) => {
    const now = Date.now();
    const { id } = await newServer(account.id, {
      ...{ createdAt: new Date(now - 90 * DAY), firstSeenAt: new Date(now - 90 * DAY), lastSeenAt: new Date() },
    });
    await db.telemetrySample.create({ data: { serverId: id, ts: new Date(), cpuPct: 5 } });
    await db.maintenanceTime.create({
      data: { serverId: id, startedAt: new Date(now - DAY), endedAt: new Date(now + DAY) },
    });
    const zeros = { unreachableMs: 0, unknownMs: 0, carried: 0 };
    await db.uptimeSum.create({
      data: {
        ...{ serverId: id, unit: "month", zone: "UTC", ...zeros },
        ...{ startedAt: new Date("2026-09-01"), endedAt: new Date("2026-10-01") },
        ...{ recordedMs: 30 * DAY, offlineMs: 3 * HOUR, maintenanceMs: 2 * HOUR, outages: 2 },
      },
    });
    await page.goto(`/dashboard/servers/${id}`);
    await expect(page.locator("[data-uptime='24 hours']")).toContainText(/of maintenance left out/);
    await page.getByText("1 month before this one").click();
    await expect(page.locator("[data-month='September 2026']")).toHaveText(
      "September 202699.58 %: 3 h offline in 2 outages; 2 h of maintenance left out",
    );
    const file = await (await page.request.get(`/dashboard/servers/${id}/events.csv`)).text();
    expect(file).toContain(`maintenance,${new Date(now - DAY).toISOString()},${new Date(now + DAY).toISOString()}`);
    if (hasJavaScript) await expectAccessible(page);
    await expectToFit(page);
    await page.getByRole("link", { name: "Plan maintenance" }).click();
    await expect(page).toHaveURL(new RegExp(`/dashboard/servers/${id}/settings#maintenance$`));
  });
});

test("nobody plans or calls off maintenance of another account's server", async ({ page, account, browser }) => {
  const { id } = await newServer(account.id, {});
  await page.goto(`/dashboard/servers/${id}/settings`);
  const other = await newAccount();
  const { id: otherId } = await newServer(other.id, {});
  const row = await db.maintenanceTime.create({
    data: { serverId: otherId, startedAt: new Date(Date.now() + DAY), endedAt: new Date(Date.now() + 2 * DAY) },
  });
  const form = page.getByRole("form", { name: "Maintenance" });
  await form.locator("input[name=id]").evaluate((input, value) => input.setAttribute("value", value), String(otherId));
  const from = Date.now() + 5 * HOUR;
  await form.getByLabel("From").fill(clockField(from, "UTC"));
  await form.getByLabel("to", { exact: true }).fill(clockField(from + HOUR, "UTC"));
  await form.getByRole("button", { name: "Plan" }).click();
  await expect(form.getByRole("alert")).toContainText("this server no longer exists");
  expect(await db.maintenanceTime.findMany({ where: { serverId: otherId } })).toEqual([row]);
  const context = await browser.newContext();
  await signInDirectly(context, other.id);
  expect((await context.request.get(`/dashboard/servers/${id}/settings`)).status()).toBe(404);
  await context.close();
});
