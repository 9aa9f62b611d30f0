import { expect, onTestFinished, test } from "vitest";
import { expectNowhereWhole, hasIp } from "@/e2e/support/breakable-ips";
import { everyPage } from "@/e2e/support/every-page";
import { newGameService, newNamedToken, newReportingServer } from "@/e2e/support/factories";
import { newVisitor } from "@/e2e/support/site";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { TOKEN_PAGE } from "@/lib/page-paths";

const IP = "2001:db8:85a3:8d3:1319:8a2e:370:7348";

// Those of live nodes, for DNS: game-services.test.ts.

test("every ip on every page breaks after its colons, and nowhere else", async () => {
  const { account, page } = await newVisitor("admin");
  const now = new Date();
  await db.session.updateMany({ where: { accountId: account.id }, data: { ip: IP } });
  const server = await newReportingServer(account.id, { publicIp: IP, lastSeenAt: now });
  await db.serverKey.updateMany({ where: { serverId: server.id }, data: { lastUsedAt: now, lastUsedIp: IP } });
  const service = await newGameService(account.id, { originHost: IP });
  const used = { firstUsedAt: new Date(now.getTime() - HOUR), firstUsedIp: IP, lastUsedAt: now, lastUsedIp: IP };
  const { token } = await newNamedToken(account.id, "used", used);
  const refused = { revokedAt: now, refusedCount: 3, lastRefusedAt: now, lastRefusedIp: IP };
  const { token: ended } = await newNamedToken(account.id, "ended", { ...used, ...refused });
  // Silent for long, so that no other test takes it for live.
  const node = { name: `ips-${account.id}`, lastHeardAt: new Date(now.getTime() - DAY), lastHeardIp: IP };
  const { id: nodeId } = await db.edgeNode.create({ data: node, select: { id: true } });
  onTestFinished(async () => void (await db.edgeNode.delete({ where: { id: nodeId } })));
  const own = { server: server.id, service: service.id, token: token.id };
  const paths = [...everyPage(own, nodeId), `${TOKEN_PAGE}?revoke=${token.id}`, `${TOKEN_PAGE}/${ended.id}`];
  const shown = new Set<string>();
  for (const path of paths) {
    if (hasIp(await page.goto(path), IP)) shown.add(page.path);
    expectNowhereWhole(page, IP);
  }
  expect(shown.size).toBe(12);
});
