import { newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { createOnPage, expect, TOKEN_PAGE, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { dateText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { wallClock, zoneText } from "@/lib/format/time-zone";
import { serverPath, servicePath, tokenPath } from "@/lib/page-paths";
import { watchTokens } from "@/lib/tokens/events/endings";

const ACCOUNT_PAGE = "/dashboard/settings/account";

withAndWithoutJavaScript(() => {
  test("the time zone is kept with the account, and the pages write times in it", async ({ page, account }) => {
    const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - DAY), lastSeenAt: new Date() });
    await recordCheckIn(id, { sample: { cpuPct: 10 } });
    await page.goto(`/dashboard/servers/${id}`);
    await expect(page.getByText("Times in UTC.")).toBeVisible();
    await page.goto(ACCOUNT_PAGE);
    await expect(page.getByText("The API uses Unix milliseconds.")).toBeVisible();
    await page.locator("select[name=timeZone]").selectOption("Pacific/Marquesas");
    await page.getByRole("button", { name: "Save time zone" }).click();
    await expect(page.getByText("Times are shown in Pacific/Marquesas.")).toBeVisible();
    const { timeZone } = await db.account.findUniqueOrThrow({ where: { id: account.id }, select: { timeZone: true } });
    expect(timeZone).toBe("Pacific/Marquesas");
    await page.goto(`/dashboard/servers/${id}`);
    await expect(page.getByText("Times in Pacific/Marquesas.")).toBeVisible();
    await expect(page.locator("time").first()).toHaveAttribute("title", /UTC−9:30$/);
  });
});

test.describe("in a browser elsewhere", () => {
  test.use({ timezoneId: "America/New_York" });

  test("pages begin in its own zone, until the account chooses one: then that zone holds, UTC as well, and its own is one click away", {
    tag: "@one-engine",
  }, async ({ page, account }) => {
    const { id } = await newServer(account.id, { lastSeenAt: new Date() });
    await recordCheckIn(id, { sample: { cpuPct: 10 } });
    const hint = page.getByText(/Times in/);
    await page.goto(`/dashboard/servers/${id}`);
    await expect(hint).toContainText("Times in America/New York.");
    // From then on the first answer is in it.
    expect(await (await page.request.get(`/dashboard/servers/${id}`)).text()).toContain("Times in America/New York.");
    await page.goto(ACCOUNT_PAGE);
    await expect(page.locator("select[name=timeZone]")).toHaveValue("America/New_York");
    await page.locator("select[name=timeZone]").selectOption("UTC");
    await page.getByRole("button", { name: "Save time zone" }).click();
    await expect(page.getByText("Times are shown in UTC.")).toBeVisible();
    await page.goto(`/dashboard/servers/${id}`);
    await expect(hint).toContainText("Times in UTC.");
    await page.goto(ACCOUNT_PAGE);
    await page.getByRole("button", { name: "As this browser: America/New York" }).click();
    await expect(page.locator("select[name=timeZone]")).toHaveValue("America/New_York");
  });
});

/** Fourteen hours ahead of UTC, all year. */
const FAR_EAST = "Pacific/Kiritimati";

withAndWithoutJavaScript(() => {
  test("the days on which tokens end are those of the account's zone: in the list, on the token's page and in both forms", {
    tag: "@with-javascript-alone",
  }, async ({ page, account }) => {
    await db.account.update({ where: { id: account.id }, data: { timeZone: FAR_EAST } });
    // Noon in UTC, two in the morning of the next day on Kiritimati.
    const end = new Date(Math.floor(Date.now() / DAY) * DAY + 3.5 * DAY);
    const [day, dayInUtc] = [dateText(end, FAR_EAST), dateText(end, "UTC")];
    const { token } = await newNamedToken(account.id, "ends in the far east", end);
    await db.accessToken.update({ where: { id: token.id }, data: { createdAt: new Date(Date.now() - 30 * DAY) } });
    await watchTokens(Date.now());

    await page.goto(TOKEN_PAGE);
    const row = page.getByRole("row", { name: /ends in the far east/ });
    await expect(row).toContainText(day);
    await expect(page.getByRole("region", { name: "Needs attention" })).toContainText(`on ${day}`);
    await expect(page.getByRole("main")).not.toContainText(dayInUtc);
    const soon = dateText(new Date(Date.now() + 30 * DAY), FAR_EAST);
    await expect(page.getByLabel("Expires").locator("option", { hasText: "In 30 days" })).toHaveText(
      `In 30 days (${soon})`,
    );

    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    await expect(page.getByText(`expires on ${day}`)).toBeVisible();
    await expect(page.getByText(/^The new token expires on/)).toContainText(
      dateText(new Date(end.getTime() + 30 * DAY), FAR_EAST),
    );
  });

  test("the last day of a new token ends when it ends in the account's zone", async ({ page, account }) => {
    await db.account.update({ where: { id: account.id }, data: { timeZone: FAR_EAST } });
    const day = new Date(Date.now() + 20 * DAY).toISOString().slice(0, "2026-11-20".length);
    await page.goto(TOKEN_PAGE);
    await page.getByLabel("Expires").selectOption("date");
    await page.getByLabel("Last day").fill(day);
    await expect(page.getByText(`Works until the end of that day, ${FAR_EAST}.`)).toBeVisible();
    await createOnPage(page, "its last day");
    const text = dateText(new Date(`${day}T00:00:00Z`), "UTC");
    await expect(page.getByText(`It works until ${text} (in `)).toBeVisible();
    const { expiresAt } = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
    expect(expiresAt).toEqual(new Date(Date.parse(`${day}T23:59:59Z`) - 14 * HOUR));
  });
});

test("every chart names the zone that the account has chosen, below it and at its cursor, and its axis counts by that zone's clocks", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const minute = Math.floor(Date.now() / MINUTE) * MINUTE;
  const { id: server } = await newServer(account.id, { createdAt: new Date(minute - DAY), lastSeenAt: new Date() });
  for (const ago of [MINUTE, 2 * MINUTE, 3 * MINUTE]) {
    await recordCheckIn(server, { sample: { cpuPct: 10 } }, new Date(minute - ago));
  }
  const { id: service } = await newGameService(account.id);
  const counters = { packets: 5, bytes: 5, dropped: 5, connections: 5 };
  await db.metricSample.create({
    data: { serviceId: service, ts: new Date(minute - 2 * MINUTE), nodeId: 1, ...counters, latencyMs: 8.5 },
  });
  const { token } = await newNamedToken(account.id, "used");
  const hour = new Date(Math.floor(minute / HOUR) * HOUR);
  await db.tokenUseHour.create({ data: { tokenId: token.id, hour, requests: 9, limited: 2, peak: 9 } });

  for (const zone of [FAR_EAST, "Pacific/Marquesas"]) {
    await db.account.update({ where: { id: account.id }, data: { timeZone: zone } });
    const { hour: hours, minute: minutes } = wallClock(minute, zone);
    const sinceMidnight = (hours * HOUR + minutes * MINUTE) / DAY;
    for (const path of [`${serverPath(server)}?range=24h`, `${servicePath(service)}?range=24h`, tokenPath(token.id)]) {
      await page.goto(path);
      await expect(page.getByRole("main"), path).toContainText(`Times in ${zoneText(zone)}.`);
      const cursors = page.getByRole("slider");
      await expect(cursors.first()).toHaveAttribute("aria-valuetext", new RegExp(`, in ${zoneText(zone)}(?:\\. |$)`));
      // The first key may come before the page listens.
      await expect(async () => {
        await cursors.first().press("End");
        await expect(cursors.first()).toContainText(zoneText(zone), { timeout: SECOND });
      }).toPass();
      for (const cursor of await cursors.all()) await expect(cursor, path).toContainText(zoneText(zone));
      const [, shownHour, shownMinute] =
        /, (\d\d):(\d\d)/.exec((await cursors.first().getAttribute("aria-valuetext")) ?? "") ?? [];
      const behind = (1 + sinceMidnight - (Number(shownHour) * HOUR + Number(shownMinute) * MINUTE) / DAY) % 1;
      expect(behind * DAY, `the last value of ${path} in ${zone}`).toBeLessThan(2 * HOUR);
      // The line of midnight stands as far before the end of the day shown as the zone's clocks say.
      const share = Number.parseFloat(
        (await page.locator("[data-midnight=true] line").first().getAttribute("x1")) ?? "",
      );
      const off = (share / 100 + sinceMidnight) % 1;
      expect(Math.min(off, 1 - off), `${path} in ${zone}`).toBeLessThan(0.06);
    }
  }
});
