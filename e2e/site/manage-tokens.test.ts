import { expect, test } from "vitest";
import { ago, newAccount, newNamedToken, PASSWORD } from "@/e2e/support/factories";
import { statusOf } from "@/e2e/support/over-http";
import { createToken, letPasswordAge, newVisitor, visitorWithToken } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { mintToken } from "@/lib/tokens/format";

const find = (id: number) => db.accessToken.findUniqueOrThrow({ where: { id } });
const WHICH = "Which token is this? Paste it, or its last four characters";

async function replace(page: Visitor, overlap?: string): Promise<string> {
  await page.press("Replace token", overlap === undefined ? {} : { "The old token ends": overlap });
  const raw = page.value("Token");
  expect(raw).toMatch(/^cpat_[0-9A-Za-z]{36}$/);
  return raw;
}

test("renaming a token changes only its name, and an unusable name is refused", async () => {
  const { page, raw, token } = await visitorWithToken("before");
  await page.goto(TOKEN_PAGE);
  await page.follow("before");
  await page.press("Rename", { Name: mintToken() });
  expect(page.alerts.join()).toContain("That looks like a token.");
  expect(await find(token.id)).toMatchObject({ name: "before" });
  await page.press("Rename", { Name: "after" });
  expect(page.statuses.join()).toContain("It is called after now.");
  expect(page.heading).toBe("after");
  expect(await statusOf(raw)).toBe(200);
  expect(await find(token.id)).toMatchObject({ name: "after", hint: token.hint, expiresAt: null, revokedAt: null });
});

for (const [overlap, told, ends] of [
  ["first-use", "The old token ends with the first request that uses this one.", "ends when"],
  ["hour", "The old token still works. It ends in", "ends in"],
  [undefined, "The old token still works. It ends in", "ends in"],
  ["none", "The old token has ended.", null],
] as const) {
  test(`a token replaced with overlap ${overlap ?? "as proposed"} ends as its page says`, async () => {
    const life = { expiresAt: new Date(Date.now() + 30 * DAY) };
    const { account, page, raw: oldRaw, token: old } = await visitorWithToken("rotated", life);
    await page.goto(`${TOKEN_PAGE}/${old.id}`);
    const newRaw = await replace(page, overlap);
    expect(page.textOf(page.part("Copy your new token now"))).toContain(told);
    // "Try it" would send the first request before any program has the new token.
    expect(page.text.includes("Try it")).toBe(overlap !== "first-use");
    expect(page.text.includes("curl ")).toBe(overlap !== "first-use");
    const fresh = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id, id: { not: old.id } } });
    expect(fresh.name).toBe("rotated");
    expect(Math.abs(Number(fresh.expiresAt) - Date.now() - 30 * DAY)).toBeLessThan(HOUR);
    await page.follow("Done");
    expect(page.path).toBe(`${TOKEN_PAGE}/${fresh.id}`);
    if (ends !== null) {
      expect(await statusOf(oldRaw)).toBe(200);
      await page.goto(TOKEN_PAGE);
      const rows = page.textsOf(page.rows("rotated"));
      const wanted = [`Being replaced by cpat_…${newRaw.slice(-4)}: ${ends}`, `Replaces cpat_…${oldRaw.slice(-4)}`];
      for (const text of wanted) expect(rows.filter((row) => row.includes(text))).toHaveLength(1);
      expect(rows).toHaveLength(2);
    }
    expect(await statusOf(newRaw)).toBe(200);
    if (overlap === "first-use") {
      await expect.poll(async () => (await find(old.id)).revokedAt).not.toBeNull();
    } else if (ends !== null) {
      // The first request of the new one ends nothing.
      expect(await statusOf(oldRaw)).toBe(200);
      const { expiresAt, revokedAt } = await find(old.id);
      const after = overlap === "hour" ? HOUR : DAY;
      expect([revokedAt, Math.abs(Number(expiresAt) - Date.now() - after) < MINUTE]).toEqual([null, true]);
      // As long later.
      await db.accessToken.update({ where: { id: old.id }, data: { expiresAt: new Date(Date.now() - SECOND) } });
    }
    for (const [raw, status] of [
      [oldRaw, 401],
      [newRaw, 200],
    ] as const) {
      expect(await statusOf(raw)).toBe(status);
    }
    await page.goto(TOKEN_PAGE);
    expect(page.rows("rotated", "Active tokens").length).toBe(1);
    expect(page.text).not.toMatch(/Being replaced|Replaces/);
    await page.goto(`${TOKEN_PAGE}/${old.id}`);
    expect(page.buttons("Replace token").length).toBe(0);
    await page.follow(`cpat_…${fresh.hint}`);
    await page.follow(`cpat_…${old.hint}`);
    expect(page.path).toBe(`${TOKEN_PAGE}/${old.id}`);
  });
}

test("several are revoked with one question that lists them, and the others stay", async () => {
  const { account, page } = await newVisitor();
  for (const name of ["one", "two", "three"]) await newNamedToken(account.id, name);
  const stranger = await newAccount();
  await page.goto(TOKEN_PAGE);
  await page.press("Revoke selected", { "Select one,": true, "Select three,": true });
  const question = page.part("Revoke 2 tokens?");
  expect(page.textsOf(question.find("li")).map((text) => /^\w+?(?=cpat| )/.exec(text)?.[0])).toEqual(
    expect.arrayContaining(["one", "three"]),
  );
  expect(question.find("li").length).toBe(2);
  await page.press("Revoke 2 tokens");
  expect(page.statuses.join()).toContain("2 tokens were revoked");
  expect(page.text).not.toContain("2 selected");
  const left = await db.accessToken.findMany({ where: { accountId: account.id, revokedAt: null } });
  expect(left.map(({ name }) => name)).toEqual(["two"]);
  expect(await statusOf(stranger.token)).toBe(200);
});

test("an hour after sign-in, creating a token asks for the password", async () => {
  const { account, page } = await newVisitor();
  await letPasswordAge(account.id);
  await page.goto(TOKEN_PAGE);
  expect(page.buttons("Create token").parents("form").find("input[autocomplete=username]").val()).toBe(account.email);
  await page.press("Create token", { Name: "guarded", "Your password": "a wrong password" });
  expect(page.alerts.join()).toContain("That is not your password.");
  expect(page.value("Name")).toBe("guarded");
  expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(0);
  await page.press("Create token", { "Your password": PASSWORD });
  expect(page.hasField("Token")).toBe(true);
  await page.goto(TOKEN_PAGE);
  expect(page.hasField("Your password")).toBe(false);
  await createToken(page, "without a question");
});

test("an hour after sign-in, revoking all and replacing ask for the password as well", async () => {
  const { account, page, token } = await visitorWithToken("guarded");
  await newNamedToken(account.id, "guarded too");
  await letPasswordAge(account.id);
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  expect(page.hasField("Your password", page.buttons("Replace token").parents("form"))).toBe(true);
  await page.goto(`${TOKEN_PAGE}?revoke=all`);
  await page.press("Revoke all", { "Your password": "a wrong password" }, { within: page.$("dialog") });
  expect(page.textOf(page.$("dialog").find("[role=alert]"))).not.toBe("");
  expect(await db.accessToken.count({ where: { accountId: account.id, revokedAt: null } })).toBe(2);
  await page.press("Revoke all", { "Your password": PASSWORD }, { within: page.$("dialog") });
  expect(page.statuses.join()).toContain("2 tokens were revoked");
});

test("a token is found by itself or its last four characters; nothing pasted stays", async () => {
  const { page, raw } = await visitorWithToken("in my hand");
  const stranger = await newAccount();
  for (const [pasted, says] of [
    [`Authorization: Bearer ${raw}`, /in my hand \(cpat_…\w{4}\) is active.*never used/],
    [raw.slice(-4), /in my hand/],
    [stranger.token, /This is not one of your tokens/],
    [mintToken(), /This is not one of your tokens/],
    [`${raw.slice(0, -1)}!`, /neither a whole token nor its last four characters/],
  ] as const) {
    await page.goto(TOKEN_PAGE);
    await page.press("Find it", { [WHICH]: pasted });
    expect(page.textOf(page.part("Which token is this?").find("[role=status]"))).toMatch(says);
    for (const secret of [raw.slice(5, 25), stranger.token.slice(5, 25)]) expect(page.html).not.toContain(secret);
    expect(page.url).not.toContain("cpat");
  }
});

test("typing the password again is throttled as sign-in is", async () => {
  const { account, page } = await newVisitor();
  await letPasswordAge(account.id);
  await page.goto(TOKEN_PAGE);
  const attempt = async () => {
    await page.press("Create token", { Name: "guessed", "Your password": "a wrong password" });
    return page.alerts.join();
  };
  for (let i = 0; i < 10; i++) expect(await attempt()).toContain("That is not your password.");
  expect(await attempt()).toContain("Too many attempts.");
});

test("an account looks up a token at most twenty times in five minutes", async () => {
  const { page, token } = await visitorWithToken("looked for");
  const ask = async (page: Visitor) => {
    await page.press("Find it", { [WHICH]: token.hint });
    return page.textOf(page.part("Which token is this?"));
  };
  await page.goto(TOKEN_PAGE);
  for (let i = 0; i < 20; i++) expect(await ask(page)).not.toContain("Too many attempts.");
  const refused = await ask(page);
  expect(refused).toMatch(/Too many attempts\. Try again in [1-5] minutes?\./);
  expect(refused).not.toContain("looked for (");
  const other = await newVisitor();
  await newNamedToken(other.account.id, "of another account");
  await other.page.goto(TOKEN_PAGE);
  expect(await ask(other.page)).toContain("This is not one of your tokens");
});

test("many tokens can be searched and sorted, and ended ones fold beyond ten", async () => {
  const { account, page } = await newVisitor();
  for (let i = 0; i < 20; i++) await newNamedToken(account.id, `machine ${i}`);
  for (let i = 0; i < 12; i++) await newNamedToken(account.id, `old ${i}`, { revokedAt: ago(i * HOUR) });
  await page.goto(TOKEN_PAGE);
  const namesIn = (table: string) => page.textsOf(page.part(table).find("tbody th a:first-of-type"));
  const ended = page
    .part("Revoked and expired tokens")
    .find("tbody th")
    .filter((_, th) => page.$(th).parents("details").length === 0);
  expect(page.textsOf(ended.find("a:first-of-type"))).toEqual(Array.from({ length: 10 }, (_, i) => `old ${i}`));
  expect(page.text).toContain("2 more");

  // The form has no button: the Enter key sends it.
  const find = page.field("Find");
  await page.goto(`${TOKEN_PAGE}?${new URLSearchParams({ [find.attr("name") ?? ""]: "MACHINE 1" })}`);
  expect(find.parents("form").attr("method") ?? "get").toMatch(/^get$/i);
  expect(page.text).toContain("20 of 50, 11 shown");
  await page.follow("Token", page.part("Active tokens").find("thead"));
  const title = page.part("Active tokens").find("th[aria-sort]");
  expect([page.textOf(title), title.attr("aria-sort")]).toEqual([expect.stringMatching(/^Token/), "ascending"]);
  expect(namesIn("Active tokens")).toEqual(["machine 1", ...Array.from({ length: 10 }, (_, i) => `machine ${10 + i}`)]);
});

test("the page of another account's token is the same 404 as a missing one", async () => {
  const { account, page } = await newVisitor();
  const stranger = await newAccount();
  const { id } = await db.accessToken.findFirstOrThrow({ where: { accountId: stranger.id } });
  const own = await newNamedToken(account.id, "own");
  await page.goto(`${TOKEN_PAGE}/${own.token.id}`);
  expect(page.status).toBe(200);
  for (const path of [id, 2 ** 31 - 1, "0", "x"]) {
    await page.goto(`${TOKEN_PAGE}/${path}`);
    expect([page.status, page.heading], String(path)).toEqual([404, "You have no such token"]);
  }
});
