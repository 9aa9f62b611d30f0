import { newServer } from "@/e2e/support/factories";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";

test("hostname, ip and id of a server are copied by the buttons beside them, and each says so", {
  tag: "@one-engine",
}, async ({ page, context, account }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const ip = "2001:db8:85a3::8a2e:370:7334";
  const { id } = await newServer(account.id, { hostname: "web-1.example.com", publicIp: ip, lastSeenAt: new Date() });
  await page.goto(`/dashboard/servers/${id}`);
  for (const [what, text] of [
    ["hostname", "web-1.example.com"],
    ["public ip", ip],
    ["id", String(id)],
  ] as const) {
    // What programs need stands in a menu of its own.
    if (what === "id") await page.getByRole("main").locator("summary", { hasText: "API" }).click();
    await page.getByRole("button", { name: `Copy ${what}`, exact: true }).click();
    await expect(page.getByRole("status").filter({ hasText: `Copied: ${what}` })).toBeAttached();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text);
  }
});

withAndWithoutJavaScript(() => {
  test("the switcher goes through all servers in the order of their names, round and back", async ({
    page,
    account,
  }) => {
    const labels = ["web 2", "web 10", "alpha"];
    for (const label of labels) await newServer(account.id, { label });
    await page.goto("/dashboard?order=name");
    await page.getByRole("rowheader").getByRole("link", { name: "alpha" }).click();
    const title = page.getByRole("heading", { level: 1 });
    await expect(title).toHaveText("alpha");
    const switcher = page.getByRole("navigation", { name: "Other servers" });
    for (const label of ["web 2", "web 10", "alpha"]) {
      await switcher.getByRole("link", { name: new RegExp(`^${label} .*the next server$`) }).click();
      await expect(title).toHaveText(label);
    }
    await switcher.getByRole("link", { name: "Previous server: web 10" }).click();
    await expect(title).toHaveText("web 10");
  });

  test("an account with one server has nothing to switch to", async ({ page, account }) => {
    const { id } = await newServer(account.id);
    await page.goto(`/dashboard/servers/${id}`);
    await expect(page.getByRole("heading", { name: "Set it up" })).toBeVisible();
    await expect(page.getByRole("navigation", { name: "Other servers" })).toHaveCount(0);
  });
});
