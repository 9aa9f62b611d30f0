import { execFileSync } from "node:child_process";
import { newAccount } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { expect, signInDirectly, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

needs("chromium");

test("a page restored by Back becomes the sign-in page once its session is over", async ({ playwright }) => {
  const browser = await playwright.chromium.launch({
    executablePath: execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
    args: ["--headless=new"],
    // Playwright switches off what keeps pages.
    ignoreDefaultArgs: ["--headless", "--disable-back-forward-cache"],
  });
  try {
    const context = await browser.newContext({ baseURL: sharedOrigin() });
    const page = await context.newPage();
    const { id, email } = await newAccount();
    await signInDirectly(context, id);
    await page.goto(TOKEN_PAGE);
    await expect(page.getByText(email).first()).toBeVisible();
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => {
      window.addEventListener("pageshow", ({ persisted }) => localStorage.setItem("was kept", String(persisted)));
    });
    await page.goto("/docs/api");
    await db.session.deleteMany({ where: { accountId: id } });
    // Playwright waits in vain for what a page that was kept does not load.
    await page.evaluate(() => history.back());
    const other = await context.newPage();
    await other.goto("/favicon.svg");
    await expect.poll(() => other.evaluate(() => localStorage.getItem("was kept"))).toBe("true");
    await expect(page.getByLabel("E-mail")).toBeVisible();
    await expect(page.getByText(email)).toHaveCount(0);
  } finally {
    await browser.close();
  }
});
