import { expect, test } from "vitest";
import { newGameService, newNamedToken, newServer } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { createToken, newVisitor } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { dateText } from "@/lib/format/relative-time";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { wallClock, zoneText } from "@/lib/format/time-zone";
import { ACCOUNT_PAGE, serverPath, servicePath, TOKEN_PAGE, tokenPath } from "@/lib/page-paths";
import { watchTokens } from "@/lib/tokens/events/endings";

/** Fourteen hours ahead of UTC, all year. */
const FAR_EAST = "Pacific/Kiritimati";

test("the time zone is kept with the account, and pages write times in it", async () => {
  const { account, page } = await newVisitor();
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - DAY), lastSeenAt: new Date() });
  await recordCheckIn(id, { sample: { cpuPct: 10 } });
  await page.goto(`/dashboard/servers/${id}`);
  expect(page.text).toContain("Times in UTC.");
  await page.goto(ACCOUNT_PAGE);
  expect(page.text).toContain("The API uses Unix milliseconds.");
  await page.press("Save time zone", { "Time zone": "Pacific/Marquesas" });
  expect(page.text).toContain("Times are shown in Pacific/Marquesas.");
  const { timeZone } = await db.account.findUniqueOrThrow({ where: { id: account.id }, select: { timeZone: true } });
  expect(timeZone).toBe("Pacific/Marquesas");
  await page.goto(`/dashboard/servers/${id}`);
  expect(page.text).toContain("Times in Pacific/Marquesas.");
  expect(page.$("time").first().attr("title")).toMatch(/UTC−9:30$/);
});

test("the days on which tokens end are those of the account's zone", async () => {
  const { account, page } = await newVisitor();
  await db.account.update({ where: { id: account.id }, data: { timeZone: FAR_EAST } });
  // Noon in UTC, two in the morning of the next day on Kiritimati.
  const end = new Date(Math.floor(Date.now() / DAY) * DAY + 3.5 * DAY);
  const [day, dayInUtc] = [dateText(end, FAR_EAST), dateText(end, "UTC")];
  const { token } = await newNamedToken(account.id, "ends in the far east", end);
  await db.accessToken.update({ where: { id: token.id }, data: { createdAt: new Date(Date.now() - 30 * DAY) } });
  await watchTokens(Date.now());

  await page.goto(TOKEN_PAGE);
  expect(page.textOf(page.rows("ends in the far east"))).toContain(day);
  expect(page.textOf(page.part("Needs attention"))).toContain(`on ${day}`);
  expect(page.textOf("main")).not.toContain(dayInUtc);
  const soon = dateText(new Date(Date.now() + 30 * DAY), FAR_EAST);
  expect(page.textsOf(page.field("Expires").find("option"))).toContain(`In 30 days (${soon})`);

  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.text).toContain(`expires on ${day}`);
  const next = dateText(new Date(end.getTime() + 30 * DAY), FAR_EAST);
  expect(
    page
      .textsOf("p, span, li")
      .filter((text) => text.startsWith("The new token expires on"))
      .join(),
  ).toContain(next);
});

test("a new token's last day ends by the clocks of the account's zone", async () => {
  const { account, page } = await newVisitor();
  await db.account.update({ where: { id: account.id }, data: { timeZone: FAR_EAST } });
  const day = new Date(Date.now() + 20 * DAY).toISOString().slice(0, "2026-11-20".length);
  await page.goto(TOKEN_PAGE);
  expect(page.text).toContain(`Works until the end of that day, ${FAR_EAST}.`);
  await createToken(page, "its last day", { Expires: "date", "Last day": day });
  expect(page.text).toContain(`It works until ${dateText(new Date(`${day}T00:00:00Z`), "UTC")} (in `);
  const { expiresAt } = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
  expect(expiresAt).toEqual(new Date(Date.parse(`${day}T23:59:59Z`) - 14 * HOUR));
});

test("every chart's page names the account's zone, and its axis follows that zone", async () => {
  const { account, page } = await newVisitor();
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
      expect(page.textOf("main"), path).toContain(`Times in ${zoneText(zone)}.`);
      // The line of midnight stands as far before the end of the day shown as the zone's clocks say.
      const share = Number.parseFloat(page.$("[data-midnight=true] line").first().attr("x1") ?? "");
      const off = (share / 100 + sinceMidnight) % 1;
      expect(Math.min(off, 1 - off), `${path} in ${zone}`).toBeLessThan(0.06);
    }
  }
});
