import type { Page } from "playwright/test";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newBenchmarkRun, newGameService, newNamedToken, newServer, newToken, unique } from "@/e2e/support/factories";
import { createOnPage, expect, submitSignIn, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import * as pagePaths from "@/lib/page-paths";
import { MAX_ACTIVE_TOKENS, revokeTokens } from "@/lib/tokens/management";

// WCAG 2.2 AA in every state of every page, in both colour schemes, from 320 pixels to 4K.

type State = { name: string; reach(page: Page, accountId: number): Promise<void> };

const STATES: State[] = [
  { name: "start page", reach: (page) => visit(page, "/") },
  {
    name: "sign-in",
    async reach(page) {
      await page.context().clearCookies();
      await visit(page, "/sign-in");
    },
  },
  {
    name: "sign-in refused",
    async reach(page) {
      await page.context().clearCookies();
      await page.goto("/sign-in");
      await submitSignIn(page, "nobody@example.com", "wrong");
      await expect(page.getByText("Wrong e-mail or password.")).toBeVisible();
    },
  },
  { name: "no tokens", reach: (page) => visit(page, TOKEN_PAGE) },
  {
    name: "refused name",
    async reach(page) {
      await page.goto(TOKEN_PAGE);
      await page.getByLabel("Name").fill(" ");
      await page.getByRole("button", { name: "Create token" }).click();
      await expect(page.getByText("Give the token a name.")).toBeVisible();
    },
  },
  {
    name: "just created",
    async reach(page) {
      await page.goto(TOKEN_PAGE);
      await createOnPage(page, "new");
    },
  },
  {
    name: "tokens in every state, long names",
    async reach(page, accountId) {
      await fill(accountId);
      await visit(page, TOKEN_PAGE);
    },
  },
  {
    name: "fifty tokens",
    async reach(page, accountId) {
      for (let i = 0; i < MAX_ACTIVE_TOKENS; i++) await newToken(accountId);
      await visit(page, TOKEN_PAGE);
      await expect(page.getByRole("row")).toHaveCount(1 + MAX_ACTIVE_TOKENS);
    },
  },
  {
    name: "confirm revoke",
    async reach(page, accountId) {
      const { token } = await newNamedToken(accountId, "W".repeat(64));
      await visit(page, `${TOKEN_PAGE}?revoke=${token.id}`);
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "confirm revoke all",
    async reach(page, accountId) {
      await fill(accountId);
      await visit(page, `${TOKEN_PAGE}?revoke=all`);
      await expect(page.getByRole("dialog")).toBeVisible();
    },
  },
  {
    name: "one token with a day of traffic",
    async reach(page, accountId) {
      const { token } = await newNamedToken(accountId, "W".repeat(64), new Date(Date.now() + 30 * DAY));
      const hour = new Date(Math.floor(Date.now() / DAY) * DAY);
      await db.tokenUseHour.create({ data: { tokenId: token.id, hour, requests: 9, limited: 2, refused: 1, peak: 9 } });
      const ip = "2001:db8:1234:5678:9abc:def0:1234:5678";
      await db.tokenVisitor.create({ data: { tokenId: token.id, ip, network: ip, agent: "x".repeat(100) } });
      await visit(page, `${TOKEN_PAGE}/${token.id}`);
      await page.getByText("Table of Requests").click();
    },
  },
  {
    name: "password asked again",
    async reach(page, accountId) {
      await fill(accountId);
      await db.session.updateMany({ where: { accountId }, data: { authenticatedAt: new Date(0) } });
      await visit(page, `${TOKEN_PAGE}?revoke=all`);
      await expect(page.getByRole("dialog").getByLabel("Your password")).toBeVisible();
    },
  },
  { name: "nothing to revoke", reach: (page) => visit(page, `${TOKEN_PAGE}?revoke=999999999`) },
  { name: "not found", reach: (page) => visit(page, "/no/such/page") },
];

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("main")).toBeVisible();
}

async function fill(accountId: number): Promise<void> {
  for (const [name, change] of [
    ["W".repeat(64), {}],
    ["a name of ordinary length", { expiresAt: new Date(Date.now() + 3 * DAY) }],
    [
      "used",
      {
        lastUsedAt: new Date(),
        firstUsedAt: new Date(),
        lastUsedIp: "2001:db8:1234:5678:9abc:def0:1234:5678",
        lastUsedAgent: "Mozilla/5.0 (X11; Linux x86_64) something/1.0",
      },
    ],
    ["expired", { expiresAt: new Date(Date.now() - DAY) }],
  ] as const) {
    const { token } = await newNamedToken(accountId, name);
    await db.accessToken.update({ where: { id: token.id }, data: change });
  }
  const { token } = await newNamedToken(accountId, "revoked and still used");
  await revokeTokens(accountId, [token.id]);
  await db.accessToken.update({
    where: { id: token.id },
    data: { refusedCount: 1400, lastRefusedAt: new Date(), lastRefusedIp: "203.0.113.9", lastRefusedAgent: "curl/8" },
  });
}

for (const { name, reach } of STATES) {
  test(`${name}: no axe violation in light and dark, and nothing wider than the screen from 320 to 3840 pixels`, async ({
    page,
    account,
  }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await reach(page, account.id);
    await expectToFit(page);
    await expectAccessible(page);
  });
}

test("with the keyboard alone: sign in, create, copy, finish, revoke, and the focus is always where one goes on", async ({
  page,
  account,
}) => {
  await page.goto(TOKEN_PAGE);
  const name = page.getByLabel("Name");
  for (
    let presses = 0;
    presses < 30 && !(await name.evaluate((field) => field === document.activeElement));
    presses++
  ) {
    await page.keyboard.press("Tab");
  }
  await expect(name).toBeFocused();
  await page.keyboard.type("by keyboard");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Copy your new token now" })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByLabel("Token", { exact: true })).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Copy token" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button", { name: "Copied token" })).toBeFocused();
  const done = page.getByRole("link", { name: "Done" });
  for (let presses = 0; presses < 12 && !(await done.evaluate((link) => link === document.activeElement)); presses++) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(name).toBeFocused();

  const revoke = page.getByRole("link", { name: /Revoke by keyboard/ });
  for (
    let presses = 0;
    presses < 20 && !(await revoke.evaluate((link) => link === document.activeElement));
    presses++
  ) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("link", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(revoke).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByRole("link", { name: "Cancel" })).toBeFocused();
  await page.keyboard.press("Tab");
  // Waits, because the dialog ignores clicks in its first half second.
  await page.waitForTimeout(600);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("status").filter({ hasText: "was revoked" })).toBeFocused();
  expect((await db.accessToken.findFirstOrThrow({ where: { accountId: account.id } })).revokedAt).not.toBeNull();
});

/** What can be pressed and is smaller than 24 pixels in one direction; links in the middle of a sentence are as high as its lines. */
async function smallTargets(page: Page): Promise<string[]> {
  return page.locator("a[href], button, summary, input, select, textarea").evaluateAll((elements) => {
    const isInSentence = (element: Element) => {
      const text = (element.parentElement?.textContent ?? "").replace(element.textContent ?? "", "").trim();
      return element.tagName === "A" && getComputedStyle(element).display === "inline" && /\w{3}/.test(text);
    };
    return elements
      .filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) && !element.matches(".visually-hidden, .skip-link"),
      )
      .map((element) => ({ element, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 23.9))
      .filter(({ element }) => !isInSentence(element))
      .map(
        ({ element, box }) =>
          `${element.tagName} ${element.textContent?.trim().slice(0, 40)} ${Math.round(box.width)}x${Math.round(box.height)}`,
      );
  });
}

/** Visits all pages, as an administrator with one of everything. */
async function visitEveryPage(page: Page, accountId: number, look: (path: string) => Promise<void>): Promise<void> {
  await fill(accountId);
  const { token } = await newNamedToken(accountId, "one more");
  const { id: server } = await newServer(accountId, { publicIp: "192.0.2.7", lastSeenAt: new Date() });
  await newServer(accountId);
  await recordCheckIn(server, { facts: { os: "Debian", kernel: "6", cores: 2 }, sample: { cpuPct: 99 } });
  await newBenchmarkRun(server);
  const { id: service } = await newGameService(accountId);
  await db.account.update({ where: { id: accountId }, data: { role: "admin" } });
  const { id: edgeNode } = await db.edgeNode.create({ data: { name: unique("visited") }, select: { id: true } });
  const own = { server, service, token: token.id };
  const paths = [
    ...Object.entries(pagePaths.OWN_PAGES).flatMap(([kind, { under, pages }]) =>
      pages.map((name) => `${under}/${own[kind as keyof typeof own]}${name && `/${name}`}`),
    ),
    ...Object.values(pagePaths).filter((path) => typeof path === "string" && path !== pagePaths.NO_PAGE),
    ...["/", `${pagePaths.DASHBOARD}?view=compact`],
    ...[pagePaths.edgeNodeSettingsPath(edgeNode), pagePaths.removeEdgeNodePath(edgeNode)],
    ...[pagePaths.tagsOfSeveralPath({}), pagePaths.maintenanceOfSeveralPath({})],
  ];
  try {
    for (const path of paths.map(String)) {
      await page.goto(path);
      await look(path);
    }
  } finally {
    await db.edgeNode.delete({ where: { id: edgeNode } });
  }
}

/** What stands in a cell of a table and reaches over the next one. */
async function wideCells(page: Page): Promise<string[]> {
  return page
    .locator("main :is(td, th)")
    .evaluateAll((all) =>
      all
        .filter((cell) => cell.scrollWidth > cell.clientWidth + 1 && getComputedStyle(cell).overflowX === "visible")
        .map((cell) => `${cell.textContent?.trim().slice(0, 40)} ${cell.scrollWidth} > ${cell.clientWidth}`),
    );
}

// In one test, because a visit of all pages costs more than all that is looked at.
test("on every page whatever can be pressed is at least 24 pixels in both directions, narrow and wide; in no table does what stands in a cell reach over the next one, at any width; printed it has nothing to press: neither a bar of links, nor the way back, the account menu, a search or a button", async ({
  page,
  account,
}) => {
  const navigation = page.locator(
    "nav, search, [role=search], button, .button, .plain-button, .skip-link, [data-navigation], header:has([href='/']) details",
  );
  const seen = new Map<string, number>();
  const found: string[] = [];
  await visitEveryPage(page, account.id, async (path) => {
    for (const width of [390, 700, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const cell of await wideCells(page)) found.push(`${width} ${path}: ${cell}`);
    }
    seen.set(path, await navigation.filter({ visible: true }).count());
    await page.emulateMedia({ media: "print" });
    await expect(navigation.filter({ visible: true }), path).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
    await page.emulateMedia({ media: "screen" });
    await page.locator("main details").evaluateAll((all) => {
      for (const details of all) details.setAttribute("open", "");
    });
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      for (const target of await smallTargets(page)) found.push(`${width} ${path}: ${target}`);
    }
  });
  expect(found).toEqual([]);
  expect([...seen.values()].filter((count) => count > 2).length).toBeGreaterThan(10);
});

test.describe("with reduced motion", () => {
  test.use({ contextOptions: { reducedMotion: "reduce" } });

  test("nothing moves", async ({ page, account }) => {
    await newNamedToken(account.id, "still");
    await page.goto(TOKEN_PAGE);
    await createOnPage(page, "still too");
    const moving = await page.evaluate(
      () => document.getAnimations().filter(({ playState }) => playState === "running").length,
    );
    expect(moving).toBe(0);
  });
});
