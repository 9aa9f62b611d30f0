import type { Page } from "playwright/test";
import { newAccount, newNamedToken, PASSWORD } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import {
  answerQuestion,
  createOnPage,
  expect,
  fieldsOf,
  newIp,
  sendFields,
  signInDirectly,
  TOKEN_PAGE,
  test,
  withAndWithoutJavaScript,
} from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { watchTokens } from "@/lib/tokens/events/endings";
import { mintToken } from "@/lib/tokens/format";

const find = (id: number) => db.accessToken.findUniqueOrThrow({ where: { id } });

/** The password of every session of the account was typed two hours ago. */
async function letPasswordAge(accountId: number): Promise<void> {
  const authenticatedAt = new Date(Date.now() - 2 * HOUR);
  await db.session.updateMany({ where: { accountId }, data: { authenticatedAt } });
}

const replaceOnPage = async (page: Page, overlap: string): Promise<string> => {
  await page.getByLabel("The old token ends").selectOption(overlap);
  await page.getByRole("button", { name: "Replace token" }).click();
  const field = page.getByLabel("Token", { exact: true });
  await expect(field).toHaveValue(/^cpat_[0-9A-Za-z]{36}$/);
  return field.inputValue();
};

withAndWithoutJavaScript(() => {
  test("a token is renamed in place: the name is another, everything else stays; an unusable name is refused", async ({
    page,
    account,
  }) => {
    const { raw, token } = await newNamedToken(account.id, "before");
    await page.goto(TOKEN_PAGE);
    await page.getByRole("link", { name: "before", exact: true }).click();
    await page.getByLabel("Name", { exact: true }).fill(mintToken());
    await page.getByRole("button", { name: "Rename" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "That looks like a token." })).toBeVisible();
    expect(await find(token.id)).toMatchObject({ name: "before" });
    await page.getByLabel("Name", { exact: true }).fill("after");
    await page.getByRole("button", { name: "Rename" }).click();
    await expect(page.getByRole("status").filter({ hasText: "It is called after now." })).toBeVisible();
    await expect(page.getByRole("heading", { name: "after", level: 1 })).toBeVisible();
    expect((await call("/api/v1/me", raw)).status).toBe(200);
    expect(await find(token.id)).toMatchObject({ name: "after", hint: token.hint, expiresAt: null, revokedAt: null });
  });

  test("replaced until first use: both rows say so, and the old token ends with the first request of the new one", async ({
    page,
    account,
  }) => {
    const { raw: oldRaw, token: old } = await newNamedToken(account.id, "rotated", new Date(Date.now() + 30 * DAY));
    await page.goto(`${TOKEN_PAGE}/${old.id}`);
    const newRaw = await replaceOnPage(page, "first-use");
    // "Try it" would send that first request before any program has the new token.
    await expect(page.getByText("The old token ends with the first request that uses this one.")).toBeVisible();
    await expect(page.getByText("Try it")).toHaveCount(0);
    await expect(page.getByText(/curl /)).toHaveCount(0);
    expect((await call("/api/v1/me", oldRaw)).status).toBe(200);
    await page.goto(TOKEN_PAGE);
    const rows = page.getByRole("row", { name: /rotated/ });
    await expect(rows).toHaveCount(2);
    await expect(rows.filter({ hasText: `cpat_…${oldRaw.slice(-4)}: ends when that one` })).toHaveCount(0);
    await expect(rows.filter({ hasText: `Being replaced by cpat_…${newRaw.slice(-4)}: ends when` })).toHaveCount(1);
    await expect(rows.filter({ hasText: `Replaces cpat_…${oldRaw.slice(-4)}` })).toHaveCount(1);

    expect((await call("/api/v1/me", newRaw)).status).toBe(200);
    await expect.poll(async () => (await find(old.id)).revokedAt).not.toBeNull();
    expect((await call("/api/v1/me", oldRaw)).status).toBe(401);
    const fresh = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id, id: { not: old.id } } });
    expect(fresh.name).toBe("rotated");
    expect(Math.abs(Number(fresh.expiresAt) - Date.now() - 30 * DAY)).toBeLessThan(HOUR);
    await page.reload();
    await expect(page.getByText(/Being replaced|Replaces/)).toHaveCount(0);
  });

  test("several are revoked with one question that lists them, and the others stay", async ({ page, account }) => {
    for (const name of ["one", "two", "three"]) await newNamedToken(account.id, name);
    const stranger = await newAccount();
    await page.goto(TOKEN_PAGE);
    for (const name of ["one", "three"]) await page.getByRole("checkbox", { name: `Select ${name},` }).check();
    await page.getByRole("button", { name: "Revoke selected" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke 2 tokens?" });
    await expect(dialog.getByRole("listitem")).toHaveCount(2);
    await expect(dialog).toContainText("one");
    await expect(dialog).toContainText("three");
    await answerQuestion(page, "Revoke 2 tokens");
    await expect(page.getByRole("status").filter({ hasText: "2 tokens were revoked" })).toBeVisible();
    await expect(page.getByText("2 selected")).toHaveCount(0);
    const left = await db.accessToken.findMany({ where: { accountId: account.id, revokedAt: null } });
    expect(left.map(({ name }) => name)).toEqual(["two"]);
    expect((await call("/api/v1/me", stranger.token)).status).toBe(200);
  });

  test("an hour after sign-in, creating asks for the password; a wrong one creates nothing, the right one is good for an hour", async ({
    page,
    account,
  }) => {
    await letPasswordAge(account.id);
    await page.goto(TOKEN_PAGE);
    await page.getByLabel("Name").fill("guarded");
    await page.getByLabel("Your password").fill("a wrong password");
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "That is not your password." })).toBeVisible();
    await expect(page.getByLabel("Name")).toHaveValue("guarded");
    expect(await db.accessToken.count({ where: { accountId: account.id } })).toBe(0);
    await page.getByLabel("Your password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create token" }).click();
    await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
    await page.goto(TOKEN_PAGE);
    await expect(page.getByLabel("Your password")).toHaveCount(0);
    await createOnPage(page, "without a question");
  });

  test("an hour after sign-in, revoking all and replacing ask for the password as well", async ({ page, account }) => {
    const { token } = await newNamedToken(account.id, "guarded");
    await newNamedToken(account.id, "guarded too");
    await letPasswordAge(account.id);
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    const replacing = page.locator("form", { has: page.getByRole("button", { name: "Replace token" }) });
    await expect(replacing.getByLabel("Your password")).toBeVisible();
    await page.goto(`${TOKEN_PAGE}?revoke=all`);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your password").fill("a wrong password");
    await answerQuestion(page, "Revoke all");
    await expect(dialog.getByRole("alert")).toBeVisible();
    expect(await db.accessToken.count({ where: { accountId: account.id, revokedAt: null } })).toBe(2);
    await dialog.getByLabel("Your password").fill(PASSWORD);
    await answerQuestion(page, "Revoke all");
    await expect(page.getByRole("status").filter({ hasText: "2 tokens were revoked" })).toBeVisible();
  });

  test("which token is this: a whole one and its last four characters are found, others are not, and nothing pasted stays", async ({
    page,
    account,
  }) => {
    const { raw } = await newNamedToken(account.id, "in my hand");
    const stranger = await newAccount();
    const section = page.getByRole("region", { name: "Which token is this?" });
    for (const [pasted, says] of [
      [`Authorization: Bearer ${raw}`, /in my hand \(cpat_…\w{4}\) is active.*never used/],
      [raw.slice(-4), /in my hand/],
      [stranger.token, /This is not one of your tokens/],
      [mintToken(), /This is not one of your tokens/],
      [`${raw.slice(0, -1)}!`, /neither a whole token nor its last four characters/],
    ] as const) {
      // Reloads the page, so that the test cannot read the previous answer.
      await page.goto(TOKEN_PAGE);
      await section.getByLabel("Which token is this? Paste it, or its last four characters").fill(pasted);
      await section.getByRole("button", { name: "Find it" }).click();
      await expect(section.getByRole("status")).toContainText(says);
      const content = await page.content();
      for (const secret of [raw.slice(5, 25), stranger.token.slice(5, 25)]) expect(content).not.toContain(secret);
    }
    expect(page.url()).not.toContain("cpat");
  });
});

/** A token that its owner used from 192.0.2.1 for long, and since yesterday somebody from another network. */
async function movedToken(accountId: number, name: string, network = "198.51.100.5") {
  const made = await newNamedToken(accountId, name);
  for (const [ip, days, requests] of [
    ["192.0.2.1", 40, 4000],
    [network, 1, 12],
  ] as const) {
    const [firstSeenAt, lastSeenAt] = [new Date(Date.now() - days * DAY), new Date()];
    const data = { tokenId: made.token.id, ip, network: ip, firstSeenAt, lastSeenAt, requests, agent: "curl/8.5.0" };
    await db.tokenVisitor.create({ data });
  }
  await newNetwork(made.token.id, network);
  return made;
}

/** The event of a token that was used from a new network a day ago. */
async function newNetwork(tokenId: number, network: string) {
  const startedAt = new Date(Date.now() - DAY);
  await db.tokenEvent.create({ data: { tokenId, kind: "new_network", startedAt, facts: { network } } });
}

/** The event of a token that was refused until so many milliseconds ago. */
async function refusedUntil(tokenId: number, ms: number) {
  const [startedAt, endedAt] = [new Date(Date.now() - 2.5 * DAY), new Date(Date.now() - ms)];
  const facts = { count: 9, ip: "203.0.113.9" };
  await db.tokenEvent.create({ data: { tokenId, kind: "refused_after_end", startedAt, endedAt, facts } });
}

withAndWithoutJavaScript(() => {
  test("a new network is marked on the token's page with when it came and how much it asked; “This was us” ends the notice of it and of nothing else", async ({
    page,
    account,
  }) => {
    const stranger = await newAccount();
    const theirs = await movedToken(stranger.id, "of somebody else");
    const { token } = await movedToken(account.id, "moved");
    const other = await movedToken(account.id, "moved too", "203.0.113.77");
    await page.goto(`${TOKEN_PAGE}/${token.id}`);
    const rows = page.getByRole("table", { name: "Used from" }).getByRole("row");
    await expect(rows.filter({ hasText: "198.51.100.5" })).toHaveText(/New.*curl.*1 day ago.*12$/);
    await expect(rows.filter({ hasText: "192.0.2.1" })).toHaveText(/^192\.0\.2\.1 curl.*4,000$/);
    const notice = page.getByRole("listitem").filter({ hasText: "was used from a new network" });
    await expect(notice.getByRole("link", { name: "Replace moved" })).toHaveAttribute("href", /#replace$/);
    await expect(notice.getByRole("link", { name: "Revoke moved" })).toBeVisible();
    await notice.getByRole("button", { name: "This was us moved" }).click();
    await expect(notice).toHaveCount(0);
    await expect(rows.filter({ hasText: "New" })).toHaveCount(0);
    await page.goto(TOKEN_PAGE);
    const lines = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
    await expect(lines).toHaveText([/^moved too .*203\.0\.113\.77/]);
    // A form that names a token of another account changes nothing.
    await page
      .locator("input[name=seen]")
      .evaluate((input, value) => input.setAttribute("value", value), `${theirs.token.id} 198.51.100.5`);
    await lines.getByRole("button", { name: "This was us moved too" }).click();
    await expect(lines).toHaveText([/^moved too/]);
    const known = { endedAt: { not: null } };
    expect(await db.tokenEvent.count({ where: { ...known, tokenId: { in: [theirs.token.id, other.token.id] } } })).toBe(
      0,
    );
    expect(await db.tokenEvent.count({ where: { ...known, tokenId: token.id } })).toBe(1);
  });

  test("which token is this offers to replace it, to revoke it, and to say that its new network is known", async ({
    page,
    account,
  }) => {
    const { raw } = await movedToken(account.id, "in my hand");
    await page.goto(TOKEN_PAGE);
    const section = page.getByRole("region", { name: "Which token is this?" });
    await section.getByRole("textbox").fill(raw);
    await section.getByRole("button", { name: "Find it" }).click();
    const found = section.getByRole("listitem");
    await expect(found.getByRole("link", { name: "Replace in my hand" })).toHaveAttribute("href", /#replace$/);
    await expect(found.getByRole("link", { name: "Revoke in my hand" })).toBeVisible();
    await found.getByRole("button", { name: "This was us in my hand" }).click();
    await expect(page.getByRole("region", { name: "Needs attention" })).toHaveCount(0);
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("typing the password again is throttled as sign-in is", { tag: "@waits" }, async ({
    page,
    context,
    account,
  }) => {
    await letPasswordAge(account.id);
    await page.goto(TOKEN_PAGE);
    const fields = await fieldsOf(page, "main form");
    const headers = {
      Origin: new URL(page.url()).origin,
      Cookie: (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; "),
      "X-Forwarded-For": newIp(),
    };
    const attempt = async () =>
      (await sendFields(page.url(), fields, headers, { name: "guessed", password: "a wrong password" })).text();
    for (let i = 0; i < 10; i++) expect(await attempt()).toContain("That is not your password.");
    expect(await attempt()).toContain("Too many attempts.");
  });

  test("which token is this is asked twenty times in five minutes at most, by each account for itself", {
    tag: "@one-engine",
  }, async ({ page, context, account }) => {
    const { token } = await newNamedToken(account.id, "looked for");
    await page.goto(TOKEN_PAGE);
    const fields = await fieldsOf(page, "form:has([name=pasted])");
    const ask = async () => {
      const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
      const headers = { Origin: new URL(page.url()).origin, Cookie: cookies };
      return (await sendFields(page.url(), fields, headers, { pasted: token.hint })).text();
    };
    for (let i = 0; i < 20; i++) expect(await ask()).not.toContain("Too many attempts.");
    const refused = await ask();
    expect(refused).toMatch(/Too many attempts\. Try again in [1-5] minutes?\./);
    expect(refused).not.toMatch(/looked for<[^>]*> \(/);
    await signInDirectly(context, (await newAccount()).id);
    expect(await ask()).toContain("This is not one of your tokens");
  });

  test("twenty tokens can be found by a form that only reads and sorted by the titles of the columns; ended ones are folded beyond ten, the last end first", async ({
    page,
    account,
  }) => {
    for (let i = 0; i < 20; i++) await newNamedToken(account.id, `machine ${i}`);
    for (let i = 0; i < 12; i++) {
      const { token } = await newNamedToken(account.id, `old ${i}`);
      await db.accessToken.update({ where: { id: token.id }, data: { revokedAt: new Date(Date.now() - i * HOUR) } });
    }
    await page.goto(TOKEN_PAGE);
    const namesIn = async (table: string) =>
      (await page.getByRole("table", { name: table, exact: true }).getByRole("rowheader").allInnerTexts()).map(
        (text) => text.trim().split("\n")[0],
      );
    expect(await namesIn("Revoked and expired tokens")).toEqual(Array.from({ length: 10 }, (_, i) => `old ${i}`));
    await expect(page.getByText("2 more")).toBeVisible();

    await page.getByLabel("Find").fill("MACHINE 1");
    await page.getByLabel("Find").press("Enter");
    await expect(page.getByText("20 of 50, 11 shown")).toBeVisible();
    await page.getByRole("columnheader", { name: "Token" }).first().getByRole("link").click();
    await expect(page.getByRole("columnheader", { name: "Token" }).first()).toHaveAttribute("aria-sort", "ascending");
    expect(await namesIn("Active tokens")).toEqual([
      "machine 1",
      ...Array.from({ length: 10 }, (_, i) => `machine ${10 + i}`),
    ]);
  });
});

test("what was typed into the filter stays when a title of a column is clicked, and goes on filtering", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  for (const name of ["web a", "web b", "mail", "news", "shop", "wiki"]) await newNamedToken(account.id, name);
  await page.goto(TOKEN_PAGE);
  const names = page.getByRole("table", { name: "Active tokens", exact: true }).getByRole("rowheader").locator("a");
  const find = page.getByLabel("Find");
  await expect(async () => {
    // Long enough not to be in the last characters of another token by chance.
    await find.fill("WEB");
    await expect(page.getByRole("status").filter({ hasText: "2 of 6 tokens" })).toBeVisible({ timeout: SECOND });
  }).toPass();
  await expect(names.filter({ visible: true })).toHaveText(["web b", "web a"]);
  await page.getByRole("columnheader", { name: "Token" }).first().getByRole("link").click();
  await expect(page).toHaveURL(/sort=name&filter=WEB/);
  await expect(find).toHaveValue("WEB");
  await expect(names).toHaveText(["web a", "web b"]);
  await find.fill("mail");
  await expect(names).toHaveText(["mail"]);
  await find.fill("");
  await expect(names).toHaveText(["mail", "news", "shop", "web a", "web b", "wiki"]);
});

test("replaced without a choice, the old token works for a day: the panel says so, Done leads to the new token, and the two link to each other", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const { raw: oldRaw, token: old } = await newNamedToken(account.id, "rotated");
  await page.goto(`${TOKEN_PAGE}/${old.id}`);
  await page.getByRole("button", { name: "Replace token" }).click();
  const newRaw = await page.getByLabel("Token", { exact: true }).inputValue();
  const panel = page.getByRole("region", { name: "Copy your new token now" });
  await expect(panel.locator("strong", { hasText: "The old token still works. It ends in" })).toBeVisible();
  await expect(panel.getByRole("button", { name: "Copy Try it" })).toBeVisible();
  expect(Math.abs(Number((await find(old.id)).expiresAt) - Date.now() - DAY)).toBeLessThan(MINUTE);
  expect((await call("/api/v1/me", newRaw)).status).toBe(200);
  expect((await call("/api/v1/me", oldRaw)).status).toBe(200);
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("link", { name: "Done" }).click();
  const successor = await db.accessToken.findFirstOrThrow({ where: { accountId: account.id, id: { not: old.id } } });
  await expect(page).toHaveURL(`${TOKEN_PAGE}/${successor.id}`);
  await page.getByRole("link", { name: `cpat_…${old.hint}` }).click();
  await expect(page).toHaveURL(`${TOKEN_PAGE}/${old.id}`);
  await page.getByRole("link", { name: `cpat_…${successor.hint}` }).click();
  await expect(page).toHaveURL(`${TOKEN_PAGE}/${successor.id}`);
});

test("replaced with an hour's overlap: both rows say so until the hour is over, and then the old token has ended and the new one works", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const { raw: oldRaw, token: old } = await newNamedToken(account.id, "rotated", new Date(Date.now() + 30 * DAY));
  await page.goto(`${TOKEN_PAGE}/${old.id}`);
  const newRaw = await replaceOnPage(page, "hour");
  const { expiresAt, revokedAt } = await find(old.id);
  expect(Math.abs(Number(expiresAt) - Date.now() - HOUR)).toBeLessThan(MINUTE);
  expect(revokedAt).toBeNull();
  // The first request of the new one ends nothing.
  for (const raw of [newRaw, oldRaw]) expect((await call("/api/v1/me", raw)).status).toBe(200);
  const rows = page.getByRole("row", { name: /rotated/ });
  const replaced = rows.filter({ hasText: new RegExp(`Being replaced by cpat_…${newRaw.slice(-4)}: ends in`) });
  const replacing = rows.filter({ hasText: `Replaces cpat_…${oldRaw.slice(-4)}` });
  await page.goto(TOKEN_PAGE);
  await expect(rows).toHaveCount(2);
  await expect(replaced).toHaveCount(1);
  await expect(replacing).toHaveCount(1);

  // As an hour later.
  await db.accessToken.update({ where: { id: old.id }, data: { expiresAt: new Date(Date.now() - SECOND) } });
  expect((await call("/api/v1/me", oldRaw)).status).toBe(401);
  expect((await call("/api/v1/me", newRaw)).status).toBe(200);
  await page.reload();
  await expect(page.getByRole("table", { name: "Active tokens" }).getByRole("row", { name: /rotated/ })).toHaveCount(1);
  await expect(page.getByText(/Being replaced|Replaces/)).toHaveCount(0);
});

test("a day of use is a chart with its numbers: what was answered, what was refused, and the last ips with their programs", async ({
  page,
  account,
}) => {
  const { token } = await newNamedToken(account.id, "watched");
  const hour = new Date(Math.floor(Date.now() / HOUR) * HOUR);
  await db.tokenUseHour.create({
    data: { tokenId: token.id, hour, requests: 1200, limited: 30, refused: 4, peak: 131 },
  });
  await db.tokenVisitor.create({
    data: { tokenId: token.id, ip: "192.0.2.7", network: "192.0.2.7", agent: "curl/8.5.0 extra" },
  });
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  await expect(page.getByRole("img", { name: "Requests in each of the last 24 hours, at most 1,204" })).toBeVisible();
  const busiest = `Busiest minute: 131 requests, of which the limit answers ${API_REQUESTS.limit}.`;
  await expect(page.getByText(busiest)).toBeVisible();
  await expect(page.getByText("1,170 answered, 30 refused over the limit (429), 4 refused (401)")).toBeVisible();
  await page.getByText("Table of Requests").click();
  await expect(page.getByRole("row", { name: /1,170 30 4/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /192\.0\.2\.7 curl\/8\.5\.0 just now/ })).toBeVisible();
});

test("a token's page says of its use what the list says, and where it is refused from since its end apart from where it was used", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  const { token } = await newNamedToken(account.id, "ended");
  const at = (ms: number) => new Date(Date.now() - ms);
  await db.accessToken.update({
    where: { id: token.id },
    data: {
      lastUsedAt: at(30 * HOUR),
      lastUsedIp: "192.0.2.1",
      revokedAt: at(20 * HOUR),
      refusedCount: 3,
      lastRefusedAt: at(HOUR),
      lastRefusedIp: "203.0.113.9",
    },
  });
  const refused = { firstSeenAt: at(2 * HOUR), lastSeenAt: at(HOUR) };
  await db.tokenVisitor.create({ data: { tokenId: token.id, ip: "203.0.113.9", network: "203.0.113.9", ...refused } });
  await page.goto(`${TOKEN_PAGE}/${token.id}`);
  await expect(page.getByText("Last used1 day ago192.0.2.1")).toBeVisible();
  await expect(page.getByText(/Refused 3 times, last 1 hour ago from 203\.0\.113\.9/)).toBeVisible();
  await expect(
    page.getByRole("table", { name: "Used from", exact: true }).getByRole("row", { name: "192.0.2.1" }),
  ).toBeVisible();
  await expect(page.getByRole("table", { name: "Used from", exact: true }).getByText("203.0.113.9")).toHaveCount(0);
  await expect(page.getByRole("table", { name: "Refused from" }).getByText("203.0.113.9")).toBeVisible();
});

test("typing filters the rows at once; what is selected, all of it too, is what can be seen", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  for (const name of ["alpha 1", "alpha 2", "beta 1", "beta 2", "gamma", "delta"])
    await newNamedToken(account.id, name);
  await page.goto(TOKEN_PAGE);
  await page.getByLabel("Find").fill("alpha");
  await expect(page.getByText("2 of 6 tokens")).toBeVisible();
  await expect(page.getByRole("row", { name: /beta/ })).toHaveCount(0);
  const revoke = page.getByRole("button", { name: "Revoke selected" });
  await expect(revoke).toBeHidden();
  await page.getByLabel("Select all").check();
  await expect(page.getByText("2 selected")).toBeVisible();
  await revoke.click();
  await expect(page.getByRole("dialog", { name: "Revoke 2 tokens?" })).toContainText("alpha 1");
});

test("on a phone each title that sorts has room, the arrow of the order as well", { tag: "@one-engine" }, async ({
  page,
  account,
}) => {
  for (const name of ["alpha", "beta"]) await newNamedToken(account.id, name);
  await page.setViewportSize({ width: 375, height: 800 });
  await page.goto(TOKEN_PAGE);
  const titles = page.locator("thead th:has(a)");
  await expect(titles.filter({ hasText: "Created" }).locator("[data-order]")).toBeVisible();
  const cut = await titles.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
  expect(cut).toBe(0);
});

test("several tokens used from a new network are one line, whose action asks whether to revoke them", {
  tag: "@one-engine",
}, async ({ page, account }) => {
  for (const name of ["moved one", "moved two"]) {
    const { token } = await newNamedToken(account.id, name);
    await newNetwork(token.id, "198.51.100.5");
  }
  await page.goto(TOKEN_PAGE);
  const lines = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
  await expect(lines).toHaveCount(1);
  await lines.getByRole("link", { name: "Revoke 2 tokens" }).click();
  await expect(page.getByRole("dialog", { name: "Revoke 2 tokens?" })).toContainText("moved two");
});

test("ten tokens that end within two weeks are one line that names all of them", { tag: "@one-engine" }, async ({
  page,
  account,
}) => {
  for (let i = 0; i < 10; i++) {
    const { token } = await newNamedToken(account.id, `ending ${i}`);
    const life = { createdAt: new Date(Date.now() - 30 * DAY), expiresAt: new Date(Date.now() + 3 * DAY) };
    await db.accessToken.update({ where: { id: token.id }, data: life });
  }
  await watchTokens(Date.now());
  await page.goto(TOKEN_PAGE);
  const lines = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
  await expect(lines).toHaveCount(1);
  await expect(lines).toContainText("10 tokens end within two weeks");
  await expect(lines.getByRole("link")).toHaveCount(10);
});

test("the page of another account's token is the same 404 as that of a token that nobody has", async ({
  page,
  account,
}) => {
  const stranger = await newAccount();
  const { id } = await db.accessToken.findFirstOrThrow({ where: { accountId: stranger.id } });
  const own = await newNamedToken(account.id, "own");
  expect((await page.goto(`${TOKEN_PAGE}/${own.token.id}`))?.status()).toBe(200);
  for (const path of [id, 2 ** 31 - 1, "0", "x"]) {
    expect((await page.goto(`${TOKEN_PAGE}/${path}`))?.status(), String(path)).toBe(404);
    await expect(page.getByRole("heading", { name: "You have no such token" })).toBeVisible();
  }
});

test("the page says at its top what needs attention: a dead token still tried, one that ends soon, a new network; and nothing else", async ({
  page,
  account,
}) => {
  const ago = (ms: number) => new Date(Date.now() - ms);
  const make = async (name: string, data: Parameters<typeof db.accessToken.update>[0]["data"]) => {
    const { token } = await newNamedToken(account.id, name);
    await db.accessToken.update({ where: { id: token.id }, data });
    return token.id;
  };
  await refusedUntil(await make("dead", { revokedAt: ago(3 * DAY) }), HOUR);
  await refusedUntil(await make("dead and quiet", { revokedAt: ago(3 * DAY) }), 2 * DAY);
  await make("ending", { createdAt: ago(30 * DAY), expiresAt: new Date(Date.now() + 3 * DAY) });
  await make("born for three days", { expiresAt: new Date(Date.now() + 3 * DAY) });
  const moved = await make("moved", {});
  await newNetwork(moved, "198.51.100.5");
  await newNetwork(await make("moved and settled", {}), "198.51.100.6");
  await db.tokenEvent.updateMany({
    where: { facts: { path: ["network"], equals: "198.51.100.6" } },
    data: { endedAt: ago(0) },
  });
  await watchTokens(Date.now());
  await page.goto(TOKEN_PAGE);
  const lines = page.getByRole("region", { name: "Needs attention" }).getByRole("listitem");
  await expect(lines).toHaveText([
    /^dead \(cpat_…\w{4}\) was revoked 3 days ago and is still tried: last 1 hour ago from 203\.0\.113\.9\.$/,
    /^ending \(cpat_…\w{4}\) ends in 3 days, on .+\.Replace ending$/,
    /^moved \(cpat_…\w{4}\) was used from a new network 1 day ago: 198\.51\.100\.5\.Replace movedRevoke movedThis was us moved$/,
  ]);
});
