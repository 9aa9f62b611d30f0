import { randomBytes } from "node:crypto";
import type { Page } from "playwright/test";
import { startConsole } from "@/e2e/support/console-server";
import { newGameService, newNamedToken, newReportingServer } from "@/e2e/support/factories";
import { insertCaller } from "@/e2e/support/insert-caller";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { runSql } from "@/e2e/support/run-sql";
import { createTestDatabase } from "@/e2e/support/test-database";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { serviceDnsPath } from "@/lib/page-paths";
import { hashToken } from "@/lib/tokens/format";

const IP = "2001:db8:85a3:8d3:1319:8a2e:370:7348";

/** The texts of the page that hold the ip in one piece, in which a browser finds no place to break it. */
function unbreakable(page: Page): Promise<string[]> {
  return page.locator("body").evaluate((body, ip) => {
    const texts: string[] = [];
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { textContent, parentElement } = walker.currentNode;
      const isSeen = parentElement && !parentElement.closest("script, .visually-hidden");
      if (isSeen && textContent?.includes(ip)) texts.push(textContent);
    }
    return texts;
  }, IP);
}

test("every ip on every page breaks after its colons, and nowhere else", async ({ page, account }) => {
  const now = new Date();
  await db.account.update({ where: { id: account.id }, data: { role: "admin" } });
  await db.session.updateMany({ where: { accountId: account.id }, data: { ip: IP } });
  const server = await newReportingServer(account.id, { publicIp: IP, lastSeenAt: now });
  await db.serverKey.updateMany({ where: { serverId: server.id }, data: { lastUsedAt: now, lastUsedIp: IP } });
  const service = await newGameService(account.id, { originHost: IP });
  const used = { firstUsedAt: new Date(now.getTime() - HOUR), firstUsedIp: IP, lastUsedAt: now, lastUsedIp: IP };
  const { token } = await newNamedToken(account.id, "used");
  await db.accessToken.update({ where: { id: token.id }, data: used });
  const { token: ended } = await newNamedToken(account.id, "ended");
  const refused = { revokedAt: now, refusedCount: 3, lastRefusedAt: now, lastRefusedIp: IP };
  await db.accessToken.update({ where: { id: ended.id }, data: { ...used, ...refused } });
  // Silent for long, so that no other test takes it for live.
  const node = { name: `ips-${account.id}`, lastHeardAt: new Date(now.getTime() - DAY), lastHeardIp: IP };
  const { id: nodeId } = await db.edgeNode.create({ data: node, select: { id: true } });

  await page.setViewportSize({ width: 1920, height: 1080 });
  for (const path of [
    "/dashboard",
    `/dashboard/servers/${server.id}`,
    `/dashboard/servers/${server.id}/settings`,
    `/dashboard/servers/${server.id}/remove`,
    "/dashboard/game-services",
    `/dashboard/game-services/${service.id}`,
    "/dashboard/edge-nodes",
    "/dashboard/settings/account",
    TOKEN_PAGE,
    `${TOKEN_PAGE}?revoke=${token.id}`,
    `${TOKEN_PAGE}/${token.id}`,
    `${TOKEN_PAGE}/${ended.id}`,
  ]) {
    await page.goto(path);
    await expect(page.locator(".ip", { hasText: IP }).first(), path).toBeAttached();
    expect(await unbreakable(page), path).toEqual([]);
  }
  await db.edgeNode.delete({ where: { id: nodeId } });
});

// With a database of its own: in the shared one every test would take the node for live.
test("the ips that a game service's DNS should lead to break after their colons, and nowhere else", async ({
  page,
}) => {
  const database = await createTestDatabase();
  const session = randomBytes(32).toString("base64url");
  await insertCaller(database.url);
  await runSql(
    database.url,
    `with s as (
       insert into sessions (token_hash, account_id, expires_at)
       select $1, id, now() + interval '1 day' from accounts returning account_id
     ), n as (
       insert into edge_nodes (name, last_heard_at, last_heard_ip) values ('live', now(), $2)
     )
     insert into game_services (id, account_id, name, java_hostname, origin_host, origin_port)
     select 1, account_id, 'Survival', 'survival.invalid', '192.0.2.1', 25565 from s`,
    [hashToken(session), IP],
  );
  const app = await startConsole(database.url);
  try {
    await page.context().addCookies([{ name: "session", value: session, url: app.origin }]);
    await page.goto(`${app.origin}${serviceDnsPath(1)}`);
    await expect(page.locator(".ip", { hasText: IP }).first()).toBeAttached();
    expect(await unbreakable(page)).toEqual([]);
  } finally {
    await app.stop();
    await database.stop();
  }
});
