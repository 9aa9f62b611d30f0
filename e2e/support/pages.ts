import type { BrowserContext, Page } from "playwright/test";
import { db } from "@/lib/database/client";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { newAccount, newIp, newSession, PASSWORD, type TestAccount } from "./factories";
import { test as base, expect, loadPatiently, sharedOrigin } from "./fixtures";

export { expect, TOKEN_PAGE };

type Fixtures = {
  /** Signed in through the database, without tokens. */
  account: TestAccount;
  /** For tests of the first visit, and those that change their browser for good, such as its clock. */
  ownContext: boolean;
};

type WorkerFixtures = {
  /** By what cannot be changed afterwards. */
  contexts: Map<string, BrowserContext>;
};

/**
 * A browser that comes from an ip of its own, and that fails the test on any error in its console. Tests of one worker share it
 * with what it has loaded, which is most of a visit, and nothing else: each has its own cookies and its own page.
 */
export const test = base.extend<Fixtures, WorkerFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern here
  baseURL: async ({}, use) => {
    await use(sharedOrigin());
  },
  ownContext: [false, { option: true }],
  contexts: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner wants a pattern here
    async ({}, use) => {
      const contexts = new Map<string, BrowserContext>();
      await use(contexts);
      for (const context of contexts.values()) await context.close();
    },
    { scope: "worker" },
  ],
  context: async ({ browser, contexts, ownContext, javaScriptEnabled, timezoneId, hasTouch, contextOptions }, use) => {
    const key = JSON.stringify([javaScriptEnabled, timezoneId, hasTouch, contextOptions]);
    const kept = ownContext ? undefined : contexts.get(key);
    const context = kept ?? (await browser.newContext());
    if (!ownContext) contexts.set(key, context);
    await context.setExtraHTTPHeaders({ "X-Forwarded-For": newIp() });
    await use(context);
    for (const page of context.pages()) await page.close();
    await context.setOffline(false);
    await context.clearPermissions();
    await context.clearCookies();
    if (ownContext) await context.close();
  },
  page: async ({ context, viewport }, use) => {
    const page = await context.newPage();
    if (viewport) await page.setViewportSize(viewport);
    loadPatiently(page);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      // The browser logs every failed response. That is not an error of the page.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        problems.push(message.text());
      }
    });
    await use(page);
    expect(problems, "errors and policy violations in the browser's console").toEqual([]);
  },
  account: async ({ context }, use) => {
    const account = await newAccount();
    await db.accessToken.deleteMany({ where: { accountId: account.id } });
    await signInDirectly(context, account.id);
    await use(account);
  },
});

/** A session as the console would have made it. */
export async function signInDirectly(context: BrowserContext, accountId: number): Promise<void> {
  const token = await newSession(accountId);
  await context.addCookies([{ name: "session", value: token, url: sharedOrigin(), httpOnly: true, sameSite: "Lax" }]);
}

export async function submitSignIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Until React has taken the page over, down to its last element. */
export async function untilTakenOver(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const last = [...document.querySelectorAll("main *")].at(-1);
    return Object.keys(last ?? {}).some((key) => key.startsWith("__reactFiber"));
  });
}

/** Makes an open page ask for its live part at once, as it does in a browser that says it is online again. */
export const renewNow = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event("online")));

/** Holds what the page asks for by this pattern of URLs until the answer is called. */
export async function holdRequests(page: Page, pattern: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(pattern, (route) => held.then(() => route.continue()));
  return release;
}

/** Creates a token on the token page, which must be open, and answers the value that the page shows. */
export async function createOnPage(page: Page, name: string): Promise<string> {
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Create token" }).click();
  const field = page.getByLabel("Token", { exact: true });
  await expect(field).toHaveValue(/^cpat_[0-9A-Za-z]{36}$/);
  return field.inputValue();
}

/** Confirms a revocation. A click waits until the dialog accepts one, after its first half second. */
export const answerQuestion = (page: Page, label: string) =>
  page.getByRole("dialog").getByRole("button", { name: label }).click();

/** Leaves the new token behind, copied or not. */
export async function finishOnPage(page: Page): Promise<void> {
  page.once("dialog", (dialog) => void dialog.accept());
  await page.getByRole("link", { name: "Done" }).click();
}

/** Signs out by the menu of the account. */
export async function signOut(page: Page): Promise<void> {
  await openAccountMenu(page);
  await page.getByRole("button", { name: "Sign out" }).click();
}

/** Opens the menu of the account, unless it is open. */
export async function openAccountMenu(page: Page): Promise<void> {
  const menu = page.getByRole("banner").locator("details");
  if (!(await menu.evaluate((element: HTMLDetailsElement) => element.open))) await menu.locator("summary").click();
}
