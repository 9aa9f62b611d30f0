import { newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { wallClock, zoneText } from "@/lib/format/time-zone";
import { serverPath, servicePath, tokenPath } from "@/lib/page-paths";

const ACCOUNT_PAGE = "/dashboard/settings/account";

test.describe("in a browser elsewhere", () => {
  test.use({ timezoneId: "America/New_York" });

  test("pages begin in its own zone, until the account chooses one: then that zone holds, UTC as well, and its own is one click away", async ({
    page,
    account,
  }) => {
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

test("every chart names the zone that the account has chosen, below it and at its cursor, and its axis counts by that zone's clocks", async ({
  page,
  account,
}) => {
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
