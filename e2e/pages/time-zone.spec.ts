import { newServer } from "@/e2e/support/factories";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { recordCheckIn } from "@/lib/servers/telemetry/check-ins";
import { DAY } from "@/lib/time";

const ACCOUNT_PAGE = "/dashboard/settings/account";

withAndWithoutJavaScript(() => {
  test("the time zone is kept with the account, and the pages write times in it", {
    tag: "@one-engine",
  }, async ({ page, account }) => {
    const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - DAY), lastSeenAt: new Date() });
    await recordCheckIn(id, { sample: { cpuPct: 10 } });
    await page.goto(`/dashboard/servers/${id}`);
    await expect(page.getByText("Times in UTC.")).toBeVisible();
    await page.goto(ACCOUNT_PAGE);
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

  test("its own zone is one click away", { tag: "@one-engine" }, async ({ page, account }) => {
    expect(account.role).toBe("customer");
    await page.goto(ACCOUNT_PAGE);
    await page.getByRole("button", { name: "As this browser: America/New York" }).click();
    await expect(page.locator("select[name=timeZone]")).toHaveValue("America/New_York");
  });
});
