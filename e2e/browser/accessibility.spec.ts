import type { Page } from "playwright/test";
import { expectReadable } from "@/e2e/support/axe";
import { newAccount } from "@/e2e/support/factories";
import {
  ACCOUNT,
  DOCUMENTS,
  FLEET,
  NODES,
  SERVER,
  SERVICES,
  SIGNED_OUT,
  type States,
  TOKENS,
} from "@/e2e/support/page-states";
import { signInDirectly, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";

// WCAG 2.2 AA, and no page wider than its screen from 320 pixels to 4K.

/** Each state is of an account of its own. */
async function expectEachReadable(page: Page, states: States): Promise<void> {
  for (const [name, reach] of Object.entries(states)) {
    await test.step(name, async () => {
      const { id } = await newAccount();
      await db.accessToken.deleteMany({ where: { accountId: id } });
      await page.context().clearCookies();
      await signInDirectly(page.context(), id);
      await page.setViewportSize({ width: 1280, height: 900 });
      await reach(page, id);
      await expectReadable(page);
    });
  }
}

test("signed-out pages fit and have no axe violation", ({ page }) => expectEachReadable(page, SIGNED_OUT));

test("token pages fit and have no axe violation in any of their states", ({ page }) =>
  expectEachReadable(page, TOKENS));

test("the fleet and its bulk actions fit and have no axe violation", ({ page }) => expectEachReadable(page, FLEET));

test("the pages of a server have no axe violation and fit", ({ page }) => expectEachReadable(page, SERVER));

test("game service, account and edge node pages fit without axe violations, whatever the names", ({ page }) =>
  expectEachReadable(page, { ...SERVICES, ...ACCOUNT, ...NODES }));

test("the documents have no axe violation and fit", ({ page }) => expectEachReadable(page, DOCUMENTS));
