import { expect, test } from "vitest";
import { everyPage } from "@/e2e/support/every-page";
import { newBenchmarkRun, newGameService, newNamedToken, newServer, unique } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { createToken, newVisitor } from "@/e2e/support/site";
import type { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { CONFIRM_ADDRESS, serverPath, TOKEN_PAGE, tokenPath, UNSUBSCRIBE } from "@/lib/page-paths";

/** Texts of the page with one of these names, and codes, that a browser would translate. */
function translatable(page: Visitor, names: readonly string[]): string[] {
  const { $ } = page;
  const texts = $("body *")
    .contents()
    .filter((_, node) => node.type === "text" && names.some((name) => node.data.includes(name)));
  return [...texts.parent().toArray(), ...$("code, kbd, samp, pre").toArray()]
    .filter((element) => $(element).closest("[translate=no], textarea, option").length === 0)
    .map((element) => $(element).text());
}

test("no page lets a browser translate names, hostnames, tokens or codes", async () => {
  const { account, page } = await newVisitor("admin");
  const names = {
    server: unique("nordlicht"),
    service: unique("kraftwerk"),
    token: unique("wetterhahn"),
    node: unique("leuchtturm"),
    channel: unique("brieftaube"),
    run: unique("dauerlauf"),
    tag: unique("ort"),
  };
  const hostname = `server.${unique("host")}.example.com`;
  const javaHostname = `service.${unique("host")}.example.com`;
  const host = `channel.${unique("host")}.example.com`;
  const { id: server } = await newServer(account.id, { label: names.server, hostname, tags: [names.tag] });
  await recordCheckIn(server, { sample: { cpuPct: 12 } });
  await newBenchmarkRun(server, { label: names.run });
  await newBenchmarkRun(server, { label: names.run, status: "pending", finishedAt: null });
  const { id: service } = await newGameService(account.id, { name: names.service, javaHostname });
  await db.ticket.create({ data: { accountId: account.id, serviceId: service, subject: "Hello" } });
  const { token } = await newNamedToken(account.id, names.token);
  const { token: other } = await newNamedToken(account.id, `${names.token} too`);
  const { id: node } = await db.edgeNode.create({ data: { name: names.node, agent: "edge/1" }, select: { id: true } });
  await db.edgeAcknowledgement.create({ data: { serviceId: service, nodeId: node, version: 1, servingVersion: 1 } });
  const channel = { accountId: account.id, kind: "webhook", name: names.channel, host, confirmedAt: new Date() };
  await db.noticeChannel.create({ data: channel });

  const all = [...Object.values(names), hostname, javaHostname, host, account.email];
  const found: Record<string, string[]> = {};
  const look = () => {
    const texts = translatable(page, all);
    if (texts.length > 0) found[page.path.replace(/\d+/g, "N")] = texts;
  };
  for (const path of [
    ...everyPage({ server, service, token: token.id }, node),
    ...[`${TOKEN_PAGE}?revoke=${token.id}`, `${TOKEN_PAGE}?revoke=all`],
    `${TOKEN_PAGE}?filter=${names.token.slice(0, 12)}`,
    ...[`${CONFIRM_ADDRESS}?key=x`, `${UNSUBSCRIBE}?key=x`],
  ]) {
    await page.goto(path);
    expect(page.status, path).toBe(200);
    look();
  }
  await page.goto(serverPath(server));
  const number = page.$("[data-field=cpu_pct]");
  expect(page.textOf(number)).toBe("12 %");
  expect(number.closest("[translate=no]").length).toBe(1);
  await page.goto(TOKEN_PAGE);
  await page.press("Find it", { "Which token is this?": other.hint });
  look();
  await createToken(page, `${names.token} again`);
  expect(page.field("Token").attr("translate")).toBe("no");
  look();
  await page.goto(`${TOKEN_PAGE}?revoke=${other.id}`);
  await page.press("Revoke token");
  look();
  await page.goto(tokenPath(token.id));
  await page.press("Rename", { Name: `${names.token} anew` });
  look();
  await db.edgeNode.delete({ where: { id: node } });
  expect(found).toEqual({});
});
