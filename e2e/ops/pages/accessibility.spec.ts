import type { Page } from "playwright/test";
import { everyPage } from "@/e2e/support/every-page";
import { newBenchmarkRun, newGameService, newNamedToken, newServer, unique } from "@/e2e/support/factories";
import { fillTokens, hostileService, SERVICE_PAGES } from "@/e2e/support/page-states";
import { createOnPage, expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { serverWithPast } from "@/e2e/support/server-with-past";
import { db } from "@/lib/database/client";

// What reaches over, is too small to press, moves or is printed, on every page. Axe looks in e2e/browser.

test("hostile names on service pages leave words horizontal and our text unreversed", async ({ page, account }) => {
  const { id } = await hostileService(account.id);
  await page.setViewportSize({ width: 375, height: 800 });
  for (const [, path] of SERVICE_PAGES) {
    await page.goto(path(id));
    const thin = await page
      .locator("main tbody :is(th, td)")
      .evaluateAll((cells: HTMLElement[]) =>
        cells.filter((cell) => cell.offsetWidth < 48 && cell.offsetHeight > 48).map((cell) => cell.textContent),
      );
    expect(thin, "words stand upright").toEqual([]);
    await expect(page.getByText("<b>W", { exact: false }).first()).toBeVisible();
    // What turns the direction turns no text of ours that follows it in its line.
    const turned = await page.getByText("<b>W").evaluateAll((all) =>
      all.flatMap((element) => {
        let block = element;
        while (block.parentElement && getComputedStyle(block).display === "inline") block = block.parentElement;
        const isLast = block.textContent?.trimEnd().endsWith("\u202E");
        return element.closest("bdi, title") || isLast ? [] : [block.outerHTML];
      }),
    );
    expect(turned).toEqual([]);
  }
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
  await fillTokens(accountId);
  const { token } = await newNamedToken(accountId, "one more");
  const { id: server } = await newServer(accountId, { publicIp: "192.0.2.7", lastSeenAt: new Date() });
  await newServer(accountId);
  await recordCheckIn(server, { facts: { os: "Debian", kernel: "6", cores: 2 }, sample: { cpuPct: 99 } });
  await newBenchmarkRun(server);
  const { id: service } = await newGameService(accountId);
  await db.account.update({ where: { id: accountId }, data: { role: "admin" } });
  const { id: edgeNode } = await db.edgeNode.create({ data: { name: unique("visited") }, select: { id: true } });
  try {
    for (const path of everyPage({ server, service, token: token.id }, edgeNode)) {
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

/** The parts of the page's column, and the ends of the bar above it, that begin or end elsewhere than the column. */
function partsAstray(page: Page): Promise<string[]> {
  return page.locator("main").evaluate((main) => {
    const { left, right } = main.getBoundingClientRect();
    const { paddingLeft, paddingRight } = getComputedStyle(main);
    const column = { left: left + Number.parseFloat(paddingLeft), right: right - Number.parseFloat(paddingRight) };
    const isSame = (a: number, b: number) => Math.abs(a - b) < 0.6;
    const parts = [...(document.querySelector("main > article") ?? main).children]
      // What lies over the page, or is there for screen readers alone, is not in the column.
      .filter((part) => !["absolute", "fixed"].includes(getComputedStyle(part).position))
      .map((part) => ({ name: part.outerHTML.slice(0, 60), box: part.getBoundingClientRect() }));
    const astray = parts
      .filter(({ box }) => !isSame(box.left, column.left) || !isSame(box.right, column.right))
      .map(({ name, box }) => `${name} from ${box.left} to ${box.right}`);
    const logo = document.querySelector("header a")?.getBoundingClientRect().left ?? 0;
    const menu = document.querySelector("header details > summary")?.getBoundingClientRect().right ?? 0;
    if (parts.length === 0) astray.push("nothing in the column");
    if (!isSame(logo, column.left)) astray.push(`the logo at ${logo}`);
    if (!isSame(menu, column.right)) astray.push(`the account menu at ${menu}`);
    return astray.map((text) => `${text}; the column from ${column.left} to ${column.right}`);
  });
}

// In one test, because a visit of all pages costs more than all that is looked at.
test("controls have 24 pixels, cells never overlap, parts share edges, print omits controls", async ({
  page,
  account,
}) => {
  const navigation = page.locator(
    "nav, search, [role=search], button, .button, .plain-button, .skip-link, [data-navigation], header:has([href='/']) details",
  );
  const seen = new Map<string, number>();
  const found: string[] = [];
  await visitEveryPage(page, account.id, async (path) => {
    seen.set(path, await navigation.filter({ visible: true }).count());
    await page.emulateMedia({ media: "print" });
    await expect(navigation.filter({ visible: true }), path).toHaveCount(0);
    await expect(page.getByRole("heading", { level: 1 }), path).toBeVisible();
    await page.emulateMedia({ media: "screen" });
    await page.locator("main details").evaluateAll((all) => {
      for (const details of all) details.setAttribute("open", "");
    });
    // The narrowest and the widest are those of most screens; between them tables and menus change their form.
    for (const width of [375, 700, 768, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 });
      const astray = path.startsWith("/dashboard") ? await partsAstray(page) : [];
      const problems = [...(await wideCells(page)), ...astray, ...(await smallTargets(page))];
      found.push(...problems.map((problem) => `${width} ${path}: ${problem}`));
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

test("three lines differ by stroke, even in print and in forced colours", async ({ page, account }) => {
  const { id } = await serverWithPast(account.id);
  await page.goto(`/dashboard/servers/${id}?range=24h`);
  const figure = (name: string) => page.getByRole("figure", { name, exact: true });
  const lines = figure("CPU").locator("g[data-series] path:nth-of-type(2)");
  const styles = () =>
    lines.evaluateAll((paths) =>
      paths.map((path) => ({ dashes: getComputedStyle(path).strokeDasharray, colour: getComputedStyle(path).stroke })),
    );
  for (const media of [{ media: "print" }, { media: "screen", forcedColors: "active" }] as const) {
    await page.emulateMedia(media);
    const drawn = await styles();
    expect(drawn).toHaveLength(3);
    expect(new Set(drawn.map(({ dashes }) => dashes)).size, JSON.stringify(drawn)).toBe(3);
  }
  await page.emulateMedia({ media: "print", forcedColors: "none", colorScheme: "dark" });
  expect(await page.locator("body").evaluate((body) => getComputedStyle(body).color)).toBe("rgb(22, 25, 26)");
  // Where a score is strained or critical is shaded in its chart.
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  const fills = await figure("Score")
    .locator("rect[data-level]")
    .evaluateAll((zones) => zones.map((zone) => [zone.getAttribute("data-level"), getComputedStyle(zone).fill]));
  expect(fills).toEqual([
    ["strained", "rgb(138, 83, 0)"],
    ["critical", "rgb(179, 38, 30)"],
  ]);
});
