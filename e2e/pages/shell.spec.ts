import type { Page } from "playwright/test";
import { newGameService, newNamedToken, newServer, unique } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import * as paths from "@/lib/page-paths";

/** The paths of all pages of the dashboard. */
function dashboardPaths(server: number, service: number, token: number, edgeNode: number): string[] {
  return [
    ...[paths.DASHBOARD, paths.NEW_SERVER, paths.tagsOfSeveralPath({}), paths.maintenanceOfSeveralPath({})],
    ...[paths.serverPath, paths.serverSettingsPath, paths.removeServerPath, paths.benchmarkPath].map((of) =>
      of(server),
    ),
    ...[paths.GAME_SERVICES, paths.NEW_GAME_SERVICE, paths.SUPPORT],
    ...[paths.servicePath, paths.serviceSettingsPath, paths.serviceAccessPath].map((of) => of(service)),
    ...[paths.serviceDnsPath, paths.disableServicePath, paths.deleteServicePath].map((of) => of(service)),
    ...[
      paths.EDGE_NODES,
      paths.NEW_EDGE_NODE,
      paths.edgeNodeSettingsPath(edgeNode),
      paths.removeEdgeNodePath(edgeNode),
    ],
    ...[paths.ACCOUNT_PAGE, paths.NOTICE_PAGE, paths.TOKEN_PAGE, paths.tokenPath(token)],
  ];
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

test("every part of every page of the dashboard begins at one left edge and ends at one right edge, those of the bar above", async ({
  page,
  account,
}) => {
  await db.account.update({ where: { id: account.id }, data: { role: "admin" } });
  const { id: server } = await newServer(account.id, { lastSeenAt: new Date() });
  await recordCheckIn(server, { sample: { cpuPct: 90 }, facts: { os: "Debian 13", kernel: "6.12", cores: 4 } });
  const { id: service } = await newGameService(account.id);
  const { token } = await newNamedToken(account.id, "in the column");
  const { id: edgeNode } = await db.edgeNode.create({ data: { name: unique("column") }, select: { id: true } });
  const astray: string[] = [];
  for (const path of dashboardPaths(server, service, token.id, edgeNode)) {
    await page.goto(path);
    for (const width of [375, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const part of await partsAstray(page)) astray.push(`${path} at ${width}: ${part}`);
    }
  }
  await db.edgeNode.delete({ where: { id: edgeNode } });
  expect(astray).toEqual([]);
});
