import { expect, test } from "vitest";
import { newAccount, newSession, PASSWORD, unique } from "@/e2e/support/factories";
import { origin } from "@/e2e/support/over-http";
import { letPasswordAge, newVisitor } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { ACCOUNT_PAGE } from "@/lib/page-paths";
import { hashToken } from "@/lib/tokens/format";

test("the menu leads to the account, and a new password ends all other sessions", async () => {
  const { account, page } = await newVisitor();
  const mine = await db.session.findFirstOrThrow({ where: { accountId: account.id } });
  const elsewhere = await Visitor.signedIn(origin, account.id);
  await page.goto("/dashboard");
  const menu = page.textOf(page.$("header").first());
  for (const text of [account.name, account.email, "Customer"]) expect(menu).toContain(text);
  await page.follow("Account and sessions");
  expect(page.path).toBe(ACCOUNT_PAGE);

  const type = (current: string, next: string, again = next) =>
    page.press("Change password", {
      "Current password": current,
      "New password": next,
      "New password again": again,
    });
  await type(PASSWORD, "too short");
  expect(page.alerts.join()).toContain("at least 12 characters");
  await type(PASSWORD, "a new password 1", "a new password 2");
  expect(page.alerts.join()).toContain("not the same");
  await type("a wrong password", "a new password 1");
  expect(page.alerts.join()).toContain("That is not your password.");
  expect(await db.session.count({ where: { accountId: account.id } })).toBe(2);
  await type(PASSWORD, "a new password 1");
  expect(page.text).toContain("Your password is changed. 1 other browser was signed out.");
  const left = await db.session.findMany({ where: { accountId: account.id } });
  expect(left.map(({ publicId }) => publicId)).toEqual([mine.publicId]);
  await elsewhere.goto(ACCOUNT_PAGE);
  expect(elsewhere.path).toMatch(/^\/sign-in\?next=/);
  await page.goto(ACCOUNT_PAGE);
  expect(page.heading).toBe("Account");
});

test("sessions are listed by browser and ip, and each can be signed out", async () => {
  const { account, page } = await newVisitor();
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  await newSession(account.id, { ip: "192.0.2.97", userAgent: firefox });
  await newSession(account.id, { ip: "192.0.2.98", userAgent: "curl/8.5.0" });
  await newSession(account.id, { ip: "192.0.2.99", userAgent: "curl/8.6.0" });
  await page.goto(ACCOUNT_PAGE);
  const rows = (text = "") => page.rows(text, "Sessions");
  expect(rows().length).toBe(5);
  expect(page.textOf(rows("Firefox on Linux"))).toContain("192.0.2.97");
  const hashes = { where: { accountId: account.id }, select: { tokenHash: true } };
  for (const { tokenHash } of await db.session.findMany(hashes)) expect(page.html).not.toContain(tokenHash);
  await page.press("Sign out Firefox on Linux");
  expect(page.text).toContain("1 browser was signed out.");
  expect(rows().length).toBe(4);

  await letPasswordAge(account.id);
  await page.goto(ACCOUNT_PAGE);
  // Enter presses the first button of a form: it must not sign out a browser that nobody chose.
  expect(page.field("Your password").closest("form").find("button[type=submit]").first().is("[disabled]")).toBe(true);
  await page.press("Sign out all other browsers", { "Your password": "a wrong password" });
  expect(page.alerts.join()).toContain("That is not your password.");
  expect(rows().length).toBe(4);
  await page.press("Sign out all other browsers", { "Your password": PASSWORD });
  expect(page.text).toContain("2 browsers were signed out.");
  expect(rows().length).toBe(2);
  expect(page.textOf(page.part("Sessions"))).toContain("This browser");
});

test("a colour scheme is kept and is in the first bytes of every page", async () => {
  const { page } = await newVisitor();
  await page.goto(ACCOUNT_PAGE);
  await page.press("Save", { Dark: true }, { within: page.field("Dark").parents("form") });
  for (const path of ["/", "/docs/api", "/no/such/page", ACCOUNT_PAGE]) {
    await page.goto(path);
    expect(page.html.slice(0, 200), path).toContain('data-color-scheme="dark"');
  }
  await page.press("Save", { System: true }, { within: page.field("System").parents("form") });
  await page.goto(ACCOUNT_PAGE);
  expect(page.html.slice(0, 200)).not.toContain("data-color-scheme");
});

test("a session of another account is not ended, whatever id the form carries", async () => {
  const { account, page } = await newVisitor();
  const stranger = await newAccount();
  const sessionOf = (accountId: number) =>
    db.session.create({
      data: { tokenHash: hashToken(unique("session")), accountId, expiresAt: new Date(Date.now() + HOUR) },
    });
  const theirs = await sessionOf(stranger.id);
  const own = await sessionOf(account.id);
  await page.goto(ACCOUNT_PAGE);
  const button = page.part("Sessions").find("button");
  expect(button.attr("value")).toBe(own.publicId);
  await page.press(
    /^Sign out/,
    {},
    { within: page.part("Sessions"), forged: { [button.attr("name") ?? ""]: theirs.publicId } },
  );
  expect(page.text).toContain("Nothing was changed");
  const after = await db.session.findUniqueOrThrow({ where: { publicId: theirs.publicId } });
  expect(after.expiresAt).toEqual(theirs.expiresAt);
  expect(await db.session.count({ where: { publicId: own.publicId } })).toBe(1);
});
