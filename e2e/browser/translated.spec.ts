import type { Page } from "playwright/test";
import { ago, newBenchmarkRun, newGameService, newNamedToken, newServer, putEvents } from "@/e2e/support/factories";
import { sample } from "@/e2e/support/mixed-fleet";
import { expect, renewNow, TOKEN_PAGE, test, untilTakenOver } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { DASHBOARD, serverPath, servicePath, tokenPath } from "@/lib/page-paths";

// A browser that translates a page puts each of its texts into an element of its own, where React no longer finds it.

/** Wraps every text of the page, and each that comes later, in the ways of translations, by turns. */
async function translate(page: Page): Promise<void> {
  await untilTakenOver(page);
  await page.evaluate(() => {
    let count = 0;
    const wrap = (root: Node) => {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      const texts: Text[] = [];
      for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node as Text);
      if (root instanceof Text) texts.push(root);
      for (const text of texts) {
        const within = text.parentElement;
        if (!within || !text.data.trim() || within.closest("font, script, style, textarea, svg, title")) continue;
        const [outer, inner] = [document.createElement("font"), document.createElement("font")];
        outer.append(inner);
        count += 1;
        if (count % 3 === 0) {
          text.replaceWith(outer);
          inner.append(text);
          continue;
        }
        inner.textContent = text.data;
        if (count % 3 === 1) text.replaceWith(outer);
        else {
          within.insertBefore(outer, text);
          text.remove();
        }
      }
    };
    wrap(document.body);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) for (const node of addedNodes) if (node.isConnected) wrap(node);
    }).observe(document.body, { childList: true, subtree: true });
  });
}

/** What people read of the page, without how long ago it was and where on a chart it is. */
function textOf(page: Page): Promise<string> {
  return page.getByRole("main").evaluate((main) => {
    const copy = main.cloneNode(true) as Element;
    for (const passing of copy.querySelectorAll("time, svg, [role=slider], .not-yet")) passing.remove();
    const text = (copy.textContent ?? "").replace(/\s+/g, " ").replace(/\d\d:\d\d/g, "00:00");
    // Of a server that is minutes old, each second changes how much of its time it was there.
    return text.replace(/[\d.]+ %(?=: \d+ \w+ offline)/g, "");
  });
}

/**
 * Renews the live part of a translated page until it reads as the same page does when it is opened now. Before each look the
 * server reports: a score that fades from second to second is never the same on two pages.
 */
async function expectRenewed(page: Page, report: () => Promise<unknown> = async () => {}): Promise<void> {
  const fresh = await page.context().newPage();
  await expect(async () => {
    await report();
    await renewNow(page);
    await fresh.goto(page.url());
    await expect(fresh.getByRole("button", { name: /^Copy/ }).or(fresh.getByRole("table")).first()).toBeVisible();
    const wanted = await textOf(fresh);
    await expect.poll(() => textOf(page), { timeout: 5 * SECOND }).toBe(wanted);
  }).toPass();
  await fresh.close();
  await expect(page.getByText("Something went wrong on our side")).toHaveCount(0);
}

test("every value of a translated server page keeps updating without breaking the page", async ({
  page,
  context,
  account,
}) => {
  const { id } = await newServer(account.id, { lastSeenAt: null });
  await newServer(account.id);
  await recordCheckIn(
    id,
    { sample: { ...sample, cpuPct: 12 }, facts: { os: "Debian 13", kernel: "6.12", cores: 4 } },
    ago(3 * MINUTE),
  );
  await page.goto(serverPath(id));
  await expect(page.locator("header data")).toHaveText("Offline");
  await translate(page);
  const busy = { ...sample, cpuPct: 97, diskUsedPct: 99, load5: 31, memUsedMb: 900, uptimeS: 60 };
  await expectRenewed(page, () =>
    recordCheckIn(id, { sample: busy, facts: { os: "Debian 13", kernel: "6.13", cores: 1 } }),
  );
  await expect(page.locator("[data-field=cpu_pct]")).toHaveText("97 %");
  await expect(page.getByText("Online", { exact: true })).toBeVisible();

  await newBenchmarkRun(id, { label: "nightly" });
  await newBenchmarkRun(id, { label: "asked", status: "pending", finishedAt: null });
  await putEvents(id, { kind: "two_daemons", startedAt: ago(HOUR), facts: {} });
  await expectRenewed(page, () => recordCheckIn(id, { sample: { ...busy, cpuPct: 3, netLossPct: 20 } }));
  await db.event.deleteMany({ where: { subject: "server", subjectId: id, kind: "two_daemons" } });
  const calm = () => recordCheckIn(id, { sample: { ...sample, cpuPct: 1 } });
  await expectRenewed(page, calm);

  const copy = page.getByRole("button", { name: "Copy hostname" });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await copy.click();
  await expect(page.getByText("Copied: hostname")).toBeAttached();
  const slider = page.getByRole("slider").first();
  await slider.focus();
  for (const key of ["End", "ArrowLeft", "Escape"]) await slider.press(key);
  await page.getByText("API", { exact: true }).last().click();
  await context.setOffline(true);
  await renewNow(page);
  await expect(page.getByRole("status").filter({ hasText: "Not updated since" })).toBeVisible();
  await expect(page.getByText("Was online", { exact: true })).toBeVisible();
  await context.setOffline(false);
  await expectRenewed(page, calm);
  await expect(page.getByRole("status").filter({ hasText: "Not updated since" })).toHaveCount(0);
  await page.getByRole("navigation", { name: "Time shown" }).getByRole("link", { name: "7 days" }).click();
  await expect(page).toHaveURL(/range=7d/);
  await page.getByRole("main").getByRole("link", { name: "Settings" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.goBack();
  await expectRenewed(page, calm);
});

test("a translated fleet and a translated page of a game service renew themselves", async ({ page, account }) => {
  const { id } = await newServer(account.id, { lastSeenAt: null });
  await page.goto(DASHBOARD);
  await translate(page);
  await newServer(account.id);
  await expectRenewed(page, () => recordCheckIn(id, { sample: { ...sample, cpuPct: 98 } }));
  await expectRenewed(page, () => recordCheckIn(id, { sample: { ...sample, cpuPct: 5 } }));

  const { id: service } = await newGameService(account.id, { status: "configuring" });
  await page.goto(servicePath(service));
  await translate(page);
  await db.gameService.update({ where: { id: service }, data: { status: "failed", error: "no such origin" } });
  await expectRenewed(page);
  await db.gameService.update({ where: { id: service }, data: { status: "active", error: null } });
  await expectRenewed(page);
});

test("steps on translated pages of tokens break nothing: create, copy, rename, confirm, revoke", async ({
  page,
  account,
}) => {
  const { token } = await newNamedToken(account.id, "translated");
  await page.goto(TOKEN_PAGE);
  await translate(page);
  await page.getByLabel("Name").fill("second");
  await page.getByRole("button", { name: "Create token" }).click();
  await expect(page.getByLabel("Token", { exact: true })).toBeVisible();
  await page.getByRole("link", { name: "Done" }).click();
  page.once("dialog", (dialog) => void dialog.accept());
  await page.goto(tokenPath(token.id));
  await translate(page);
  await page.getByLabel("Name", { exact: true }).fill(" ");
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Give the token a name." })).toBeVisible();
  await page.getByLabel("Name", { exact: true }).fill("renamed");
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { name: "renamed", level: 1 })).toBeVisible();
  await expect(page.getByText("Something went wrong on our side")).toHaveCount(0);
});
