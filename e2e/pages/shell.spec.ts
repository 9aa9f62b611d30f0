import { newAccount, newServer } from "@/e2e/support/factories";
import { expect, openAccountMenu, TOKEN_PAGE, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

withAndWithoutJavaScript(() => {
  test("the navigation leads to the tokens and marks where one is; sign-out is on every signed-in page", async ({
    page,
    account,
  }) => {
    await page.goto("/dashboard");
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "API tokens" }).click();
    await expect(page).toHaveURL(TOKEN_PAGE);
    for (const [path, here] of [
      ["/dashboard/settings", "API tokens"],
      [TOKEN_PAGE, "API tokens"],
      ["/docs/api", "Docs"],
      ["/dashboard/no/such/page", null],
      ["/no/such/page", null],
    ] as const) {
      await page.goto(path);
      await expect(navigation.locator("[aria-current]"), path).toHaveText(here === null ? [] : [here]);
      await expect(page.getByRole("banner").getByText(account.email).first()).toBeVisible();
      await openAccountMenu(page);
      await expect(page.getByRole("banner").getByRole("button", { name: "Sign out" })).toBeVisible();
    }
  });

  test("a page that does not exist is a 404 in the frame one knows, signed in or not", async ({ page, account }) => {
    for (const path of ["/no/such/page", "/dashboard/no/such/page"]) {
      expect((await page.goto(path))?.status(), path).toBe(404);
      await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
      await expect(page.getByRole("banner")).toContainText(account.email);
    }
    const stranger = await newAccount();
    const { id: server } = await newServer(stranger.id);
    const { id: token } = await db.accessToken.findFirstOrThrow({ where: { accountId: stranger.id } });
    const servers = ["You have no such server", "Go to your servers", "/dashboard"] as const;
    const tokens = ["You have no such token", "Go to your tokens", TOKEN_PAGE] as const;
    for (const [path, [title, back, list]] of [
      [`/dashboard/servers/${server}`, servers],
      [`/dashboard/servers/${server}/settings`, servers],
      ["/dashboard/servers/2147483647?range=7d", servers],
      ["/dashboard/servers/x/remove", servers],
      [`${TOKEN_PAGE}/${token}`, tokens],
      [`${TOKEN_PAGE}/0`, tokens],
    ] as const) {
      expect((await page.goto(path))?.status(), path).toBe(404);
      await expect(page.getByRole("heading", { name: title }), path).toBeVisible();
      await expect(page.getByRole("link", { name: back }), path).toHaveAttribute("href", list);
      await expect(page.getByRole("banner"), path).toContainText(account.email);
      expect(page.url()).toMatch(/\/(servers|api)\//);
    }
    await page.context().clearCookies();
    await page.goto(`/dashboard/servers/${server}`);
    expect(page.url()).toContain("/sign-in?next=");
    expect((await page.goto("/no/such/page"))?.status()).toBe(404);
    await expect(page.getByRole("banner")).not.toContainText(account.email);
  });
});
