import { expect, test } from "vitest";
import { startConsole } from "@/e2e/support/console-server";
import { newGameService, newNamedToken, newReportingServer } from "@/e2e/support/factories";
import { insertCaller, insertSession } from "@/e2e/support/insert-caller";
import { runSql } from "@/e2e/support/run-sql";
import { newVisitor } from "@/e2e/support/site";
import { createTestDatabase } from "@/e2e/support/test-database";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { serviceDnsPath, TOKEN_PAGE } from "@/lib/page-paths";

const IP = "2001:db8:85a3:8d3:1319:8a2e:370:7348";

/** Expects the ip on the page, and no text that holds it in one piece, in which a browser finds no place to break it. */
function expectBreakable(page: Visitor): void {
  const marked = page.$(".ip").filter((_, part) => page.$(part).text().includes(IP));
  expect(marked.length, page.url).toBeGreaterThan(0);
  const whole = page
    .$("body, body *")
    .not(".visually-hidden, .visually-hidden *")
    .contents()
    .filter((_, node) => node.type === "text" && page.$(node).text().includes(IP))
    .map((_, node) => page.$(node).text())
    .get();
  expect(whole, page.url).toEqual([]);
}

test("every ip on every page breaks after its colons, and nowhere else", async () => {
  const { account, page } = await newVisitor("admin");
  const now = new Date();
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
  try {
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
      expectBreakable(await page.goto(path));
    }
  } finally {
    await db.edgeNode.delete({ where: { id: nodeId } });
  }
});

// With a database of its own: in the shared one every test would take the node for live.
test("ips for a game service's DNS break after their colons, and nowhere else", async () => {
  const database = await createTestDatabase();
  await insertCaller(database.url);
  const session = await insertSession(database.url);
  await runSql(
    database.url,
    `with n as (
       insert into edge_nodes (name, last_heard_at, last_heard_ip, agent)
       values ('live', now(), $1, 'console-edge/1.2 port/25570')
     )
     insert into game_services (id, account_id, name, java_hostname, origin_host, origin_port)
     select 1, id, 'Survival', 'survival.invalid', '192.0.2.1', 25565 from accounts`,
    [IP],
  );
  const app = await startConsole(database.url);
  try {
    const page = await Visitor.withSession(app.origin, session).goto(serviceDnsPath(1));
    expectBreakable(page);
    // Where the nodes listen elsewhere than Minecraft's clients ask, there has to be a record that says so.
    expect(page.textOf(page.rows("SRV"))).toContain("This name, port 25570");
  } finally {
    await app.stop();
    await database.stop();
  }
});
