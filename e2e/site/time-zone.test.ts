import { expect, test } from "vitest";
import { newNamedToken, newServer } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { createToken, newVisitor } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { dateText } from "@/lib/format/relative-time";
import { DAY, HOUR } from "@/lib/format/time";
import { ACCOUNT_PAGE, TOKEN_PAGE } from "@/lib/page-paths";
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
  const { account, page } = await newVisitor("customer", { timeZone: FAR_EAST });
  // Noon in UTC, two in the morning of the next day on Kiritimati.
  const end = new Date(Math.floor(Date.now() / DAY) * DAY + 3.5 * DAY);
  const [day, dayInUtc] = [dateText(end, FAR_EAST), dateText(end, "UTC")];
  const life = { createdAt: new Date(Date.now() - 30 * DAY), expiresAt: end };
  const { token } = await newNamedToken(account.id, "ends in the far east", life);
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
  const { account, page } = await newVisitor("customer", { timeZone: FAR_EAST });
  const day = new Date(Date.now() + 20 * DAY).toISOString().slice(0, "2026-11-20".length);
  await page.goto(TOKEN_PAGE);
  expect(page.text).toContain(`Works until the end of that day, ${FAR_EAST}.`);
  await createToken(page, "its last day", { Expires: "date", "Last day": day });
  expect(page.text).toContain(`It works until ${dateText(new Date(`${day}T00:00:00Z`), "UTC")} (in `);
  const { expiresAt } = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } });
  expect(expiresAt).toEqual(new Date(Date.parse(`${day}T23:59:59Z`) - 14 * HOUR));
});
