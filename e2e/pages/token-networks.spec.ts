import type { Page } from "playwright/test";
import { newNamedToken, PASSWORD } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { createOnPage, expect, finishOnPage, TOKEN_PAGE, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";

const NETWORKS = ["203.0.113.0/24", "2001:db8:7::/48"];
const find = (id: number) => db.accessToken.findUniqueOrThrow({ where: { id } });
const statusFrom = async (ip: string, raw: string) =>
  (await call("/api/v1/me", raw, { headers: { "X-Forwarded-For": ip } })).status;

const networksField = (page: Page) => page.getByRole("textbox", { name: "Networks", exact: true });
const save = (page: Page) => page.getByRole("button", { name: "Save networks" }).click();

/** Each with the sentence that refuses it. */
const REFUSED: readonly (readonly [typed: string, message: string])[] = [
  ["office", "“office” is not a network."],
  ["0.0.0.0/0", "“0.0.0.0/0” is too wide. An IPv4 network has at least /8."],
  ["::ffff:10.0.0.0/104", "“::ffff:10.0.0.0/104” is IPv4 written as IPv6."],
  ["10.0.0.1/8", "“10.0.0.1/8” is an ip within a network. The network is 10.0.0.0/8."],
  ["10.0.0.0/8\n10.0.0.0/8", "10.0.0.0/8 is there twice."],
  [
    Array.from({ length: 21 }, (_, index) => `10.0.${index}.0/24`).join("\n"),
    "A token can have at most 20 networks. These are 21.",
  ],
  [`10.0.0.0/8\n${"x".repeat(4000)}`, "is not a network."],
];

withAndWithoutJavaScript(() => {
  test("a token is created with networks, works from there alone, and every page says so", async ({
    page,
    account,
  }) => {
    await page.goto(TOKEN_PAGE);
    await page.getByText("Only from certain networks").click();
    await page.getByLabel("Only from these networks").fill(`${NETWORKS.join("\n")}\n`);
    const raw = await createOnPage(page, "at the office");
    await expect(page.getByText("It works only from 203.0.113.0/24, 2001:db8:7::/48.")).toBeVisible();
    expect((await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } })).networks).toEqual(NETWORKS);
    expect(await statusFrom("203.0.113.7", raw)).toBe(200);
    expect(await statusFrom("203.0.114.7", raw)).toBe(401);
    await finishOnPage(page);
    await expect(page.getByRole("row", { name: /at the office/ })).toContainText(
      "Only from 203.0.113.0/24, 2001:db8:7::/48",
    );
    await page.getByRole("row").getByRole("link", { name: "at the office", exact: true }).click();
    await expect(page.getByText("Only from203.0.113.0/24, 2001:db8:7::/48")).toBeVisible();
    await expect(networksField(page)).toHaveValue(NETWORKS.join("\n"));
  });

  test("networks that cannot be are refused in a sentence at the field, where everything typed stays", async ({
    page,
    account,
  }) => {
    await page.goto(TOKEN_PAGE);
    for (const [typed, message] of REFUSED) {
      const field = page.getByLabel("Only from these networks");
      if (!(await field.isVisible())) await page.getByText("Only from certain networks").click();
      await page.getByLabel("Name").fill("kept");
      await page.getByLabel("Expires").selectOption("90");
      await field.fill(typed);
      await page.getByRole("button", { name: "Create token" }).click();
      await expect(page.getByRole("alert").filter({ hasText: message })).toBeVisible();
      await expect(field).toBeFocused();
      await expect(field).toHaveValue(typed);
      await expect(page.getByLabel("Name")).toHaveValue("kept");
      await expect(page.getByLabel("Expires")).toHaveValue("90");
    }
    expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(0);

    const { token } = await newNamedToken(account.id, "stays");
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    for (const [typed, message] of REFUSED) {
      await networksField(page).fill(typed);
      await save(page);
      await expect(page.getByRole("alert").filter({ hasText: message })).toBeVisible();
      await expect(networksField(page)).toBeFocused();
      await expect(networksField(page)).toHaveValue(typed);
    }
    await networksField(page).fill(mintToken());
    await save(page);
    await expect(page.getByRole("alert").filter({ hasText: "is not a network." })).toBeVisible();
    await expect(networksField(page)).toHaveValue("");
    expect((await find(token.id)).networks).toEqual([]);
  });

  test("a token's page offers the networks that it was used from, and saved ones hold from the next request on", async ({
    page,
    account,
  }) => {
    const { raw, token } = await newNamedToken(account.id, "narrowed");
    for (const ip of ["198.51.100.4", "2001:db8:9:1::7"]) expect(await statusFrom(ip, raw)).toBe(200);
    await expect.poll(() => db.tokenVisitor.count({ where: { tokenId: token.id } })).toBe(2);
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    await page.getByRole("link", { name: "Add the networks that it was used from" }).click();
    await expect(networksField(page)).toHaveValue(/198\.51\.100\.4\/32/);
    expect((await networksField(page).inputValue()).split("\n").sort()).toEqual([
      "198.51.100.4/32",
      "2001:db8:9:1::/64",
    ]);
    await save(page);
    await expect(
      page.getByRole("status").filter({ hasText: "It works from these 2 networks alone now." }),
    ).toBeVisible();
    expect(await statusFrom("198.51.100.4", raw)).toBe(200);
    expect(await statusFrom("198.51.100.5", raw)).toBe(401);

    await networksField(page).fill("203.0.113.0/24");
    await save(page);
    await expect(
      page
        .getByRole("status")
        .filter({ hasText: /from this network alone now\. Its last request came from .+, which is refused now\./ }),
    ).toBeVisible();
    expect(await statusFrom("198.51.100.4", raw)).toBe(401);
    await expect.poll(async () => (await find(token.id)).refusedCount).toBeGreaterThan(0);
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    await expect(page.getByRole("table", { name: "Refused from" })).toContainText("198.51.100.");
    await page.goto(TOKEN_PAGE);
    await expect(page.getByRole("region", { name: "Needs attention" })).toContainText(
      /narrowed \(cpat_…\w{4}\) was refused outside its networks: last (just now|.+ ago) from 198\.51\.100\./,
    );

    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    await networksField(page).fill(" \n ");
    await save(page);
    await expect(page.getByRole("status").filter({ hasText: "It works from everywhere now." })).toBeVisible();
    expect(await statusFrom("192.0.2.1", raw)).toBe(200);
  });

  test("an hour after sign-in, changing networks asks for the password; a wrong one changes nothing and keeps what was typed", async ({
    page,
    account,
  }) => {
    const { token } = await newNamedToken(account.id, "guarded");
    const authenticatedAt = new Date(Date.now() - 2 * HOUR);
    await db.session.updateMany({ where: { accountId: account.id }, data: { authenticatedAt } });
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    const form = page.locator("form", { has: networksField(page) });
    await networksField(page).fill("203.0.113.0/24");
    await form.getByLabel("Your password").fill("a wrong password");
    await save(page);
    await expect(form.getByRole("alert").filter({ hasText: "That is not your password." })).toBeVisible();
    await expect(networksField(page)).toHaveValue("203.0.113.0/24");
    expect((await find(token.id)).networks).toEqual([]);
    await form.getByLabel("Your password").fill(PASSWORD);
    await save(page);
    await expect(page.getByRole("status").filter({ hasText: "It works from this network alone now." })).toBeVisible();
    expect((await find(token.id)).networks).toEqual(["203.0.113.0/24"]);
  });

  test("both forms warn where the console may see the ip of a proxy alone, and not where it sees the browser's", {
    tag: "@with-javascript-alone",
  }, async ({ page, account }) => {
    const { token } = await newNamedToken(account.id, "proxied");
    const warning = page.getByText("The console may not see where requests come from", { exact: false });
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    await expect(page.getByText(/This page was opened from 10\.\d+\.\d+\.\d+\./)).toHaveCount(1);
    await expect(warning).toHaveCount(0);
    // One trusted proxy, and another one in front of it that is not.
    await page.setExtraHTTPHeaders({ "X-Forwarded-For": "198.51.100.9, 10.0.0.1" });
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    await expect(warning).toContainText("10.0.0.1 may be the ip of a proxy");
    await page.goto(TOKEN_PAGE);
    await page.getByText("Only from certain networks").click();
    await expect(warning).toBeVisible();
  });
});
