import { expect, onTestFinished, test } from "vitest";
import { newAccount, newGameService, unique } from "@/e2e/support/factories";
import { askOverHttp, origin } from "@/e2e/support/over-http";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { newVisitor } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE } from "@/lib/format/time";
import { authenticateNodeKey } from "@/lib/game-services/edges/nodes";

const NODES = "/dashboard/edge-nodes";
const KEY = /cedg_[0-9A-Za-z]{36}/;

test("an edge node is added, renamed and removed; each key is shown once", async () => {
  const { account: admin, page } = await newVisitor("admin");
  await page.goto("/dashboard");
  await page.follow("Edge nodes", page.part("Main"));
  await page.follow("Add an edge node");
  const name = unique("fra");
  await page.press("Add edge node", { Name: name });
  const shownKey = () => KEY.exec(page.text)?.[0] ?? "";
  const first = shownKey();
  expect(page.text).toContain("edge.mjs unit http");
  expect(page.text).toContain(`${origin}/edge.mjs`);
  const node = await db.edgeNode.findUniqueOrThrow({ where: { name } });
  expect((await authenticateNodeKey(first, new Date()))?.id).toBe(node.id);
  await page.follow("Go to the edge nodes");
  const row = () => page.textOf(`tr[data-node="${node.id}"]`);
  expect(row()).toContain("Waiting for its first fetch");
  // Who says nothing is not like others.
  expect(row()).not.toContain("Like other nodes");
  expect(page.html).not.toMatch(KEY);

  // Its name is taken, also for itself when it is added again.
  await page.follow("Add an edge node");
  await page.press("Add edge node", { Name: name });
  expect(page.text).toContain(`There is an edge node "${name}" already.`);

  const settings = `${NODES}/settings?node=${node.id}`;
  await page.goto(settings);
  await page.press("Rename", { Name: `${name}-2` });
  expect(page.text).toContain("The edge node is renamed.");
  await page.press("Replace the key");
  const second = shownKey();
  expect(second).not.toBe(first);
  for (const key of [first, second]) expect((await authenticateNodeKey(key, new Date()))?.name).toBe(`${name}-2`);
  await page.goto(settings);
  expect(page.html).not.toMatch(KEY);
  await page.press("End the replaced keys now");
  expect(page.text).toContain("Only the newest key of this edge node works now.");
  expect(await authenticateNodeKey(first, new Date())).toBeNull();

  const { id: serviceId } = await newGameService(admin.id, { name: unique("W".repeat(40)) });
  await db.edgeAcknowledgement.create({ data: { serviceId, nodeId: node.id, version: 1, servingVersion: 1 } });
  // Its page would say to an administrator that there is no such service.
  const { id: unseen } = await newGameService((await newAccount()).id, { name: unique("unseen") });
  await db.edgeAcknowledgement.create({
    data: { serviceId: unseen, nodeId: node.id, version: 1, servingVersion: 1 },
  });
  await page.follow("Remove this edge node…");
  expect(page.text).toContain("2 game services lose it:");
  const services = page.$("li").filter((_, item) => page.$(item).text().includes("which no other live node serves"));
  expect(services.length).toBe(2);
  expect(services.find("a").length).toBe(1);
  expect(services.find("a").attr("href")).toBe(`/dashboard/game-services/${serviceId}`);
  await page.press("Remove edge node");
  expect(page.text).toContain("The edge node is removed.");
  expect(page.$(`tr[data-node="${node.id}"]`).length).toBe(0);
  expect(await authenticateNodeKey(second, new Date())).toBeNull();
});

test("pages and forms of edge nodes are for administrators alone", async () => {
  const [customer, support] = [await newAccount(), await newAccount("support")];
  const { id } = await db.edgeNode.create({ data: { name: unique("edge") } });
  const firstFetch = (page: Visitor) =>
    askOverHttp(`${NODES}/first-fetch?node=${id}`, { headers: page.requestHeaders() });
  onTestFinished(async () => void (await db.edgeNode.delete({ where: { id } })));
  const { page: admin } = await newVisitor("admin");
  for (const { id: accountId } of [customer, support]) {
    const page = await Visitor.signedIn(origin, accountId);
    for (const path of ["", "/new", `/settings?node=${id}`, `/remove?node=${id}`]) {
      await page.goto(NODES + path);
      expect(page.path, path).toBe("/dashboard/game-services");
    }
    expect(page.links("Edge nodes").length).toBe(0);
    expect((await firstFetch(page)).status).toBe(404);
  }
  // Nor does a form of an administrator's page do anything for others.
  const stranger = await Visitor.signedIn(origin, customer.id);
  for (const [path, button] of [
    ["/new", "Add edge node"],
    [`/settings?node=${id}`, "Rename"],
    [`/settings?node=${id}`, "Replace the key"],
    [`/remove?node=${id}`, "Remove edge node"],
  ] as const) {
    await admin.goto(NODES + path);
    if (path !== `/remove?node=${id}`) admin.fill({ ...(admin.hasField("Name") && { Name: unique("forged") }) });
    await stranger.send(admin.fieldsOf(button), NODES + path);
    expect(stranger.html, button).not.toMatch(KEY);
  }
  const { name, lastHeardAt } = await db.edgeNode.findUniqueOrThrow({ where: { id } });
  expect([name.startsWith("edge-"), lastHeardAt]).toEqual([true, null]);
  expect(await db.edgeNode.count({ where: { name: { startsWith: "forged" } } })).toBe(0);

  const fetched = async () => JSON.parse((await firstFetch(admin)).text) as unknown;
  expect(await fetched()).toBeNull();
  await db.edgeNode.update({ where: { id }, data: { lastHeardAt: new Date(), lastHeardIp: "192.0.2.7" } });
  expect(await fetched()).toMatchObject({ ip: "192.0.2.7" });
  for (const node of ["0", "2147483647", "x"]) {
    expect((await admin.goto(`${NODES}/settings?node=${node}`)).status).toBe(404);
  }
});

test("the list of edge nodes names what each cannot serve and counts its refusals", async () => {
  const { account: admin, page } = await newVisitor("admin");
  const { id: nodeId } = await db.edgeNode.create({ data: { name: unique("edge") } });
  onTestFinished(async () => void (await db.edgeNode.delete({ where: { id: nodeId } })));
  const at = new Date(Date.now() - 3 * HOUR);
  const failed = { status: "failed", configVersion: 2, error: "refused", createdAt: at, updatedAt: at } as const;
  const [ownName, unseenName] = [unique("own"), unique("unseen")];
  const own = await newGameService(admin.id, { ...failed, name: ownName });
  const unseen = await newGameService((await newAccount()).id, { ...failed, name: unseenName });
  for (const { id: serviceId } of [own, unseen]) {
    await db.edgeAcknowledgement.create({ data: { serviceId, nodeId, version: 2, error: "refused" } });
  }
  for (const [minutes, refused] of [
    [1, 4],
    [59, 3],
    [61, 2],
  ] as const) {
    const ts = new Date(Date.now() - minutes * MINUTE);
    await db.edgeNodeMinute.create({ data: { nodeId, ts, refused } });
  }
  await page.goto(NODES);
  const row = page.$(`tr[data-node="${nodeId}"]`);
  expect(row.find("data[value=7]").length).toBe(1);
  expect(page.textOf(row)).toContain("2 cannot serve the newest version");
  expect(page.textOf(row)).toContain(`${ownName}, failed 3 hours ago`);
  expect(page.textOf(row)).toContain(`${unseenName}, failed 3 hours ago`);
  expect(page.link(ownName, row).attr("href")).toBe(`/dashboard/game-services/${own.id}`);
  expect(page.links(unseenName, row).length).toBe(0);
});

test("a node over ten times the median of a service's other nodes is marked", async () => {
  const { account, page } = await newVisitor("admin");
  const [id, small] = [(await newGameService(account.id)).id, (await newGameService(account.id)).id];
  const ts = (Math.floor(Date.now() / MINUTE) - 3) * MINUTE;
  const counts = [10_000, 40_000, 400_000, 400_001];
  const nodes = await Promise.all(
    counts.map(() => db.edgeNode.create({ data: { name: unique("edge"), lastHeardAt: new Date() } })),
  );
  onTestFinished(async () => void (await db.edgeNode.deleteMany({ where: { id: { in: nodes.map(({ id }) => id) } } })));
  for (const [index, packets] of counts.entries()) {
    const told = { ts, nodeId: nodes[index]?.id ?? 0 };
    // The second service has so little that it says nothing.
    const few = packets === 400_001 ? 90_000 : 1;
    await recordIntervals([
      { ...told, serviceId: id, packets },
      { ...told, serviceId: small, packets: few },
    ]);
  }
  await page.goto(NODES);
  const [quiet, usual, busy, forger] = nodes.map(({ id }) => page.textOf(`tr[data-node="${id}"]`));
  // The others of `busy` have 10,000, 40,000 and 400,001: the median is 40,000, and ten times that is not passed.
  for (const row of [quiet, usual, busy]) expect(row).toMatch(/Like other nodes in the last \d+ minutes/);
  expect(forger).toMatch(
    new RegExp(
      `Over 10 times the others ?400,001 packets of service ${id} in a minute, \\d minutes ago; the median of its other nodes is 40,000$`,
    ),
  );
});
