import type { Page } from "playwright/test";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newAccount, newGameService, unique } from "@/e2e/support/factories";
import { expect, signInDirectly, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/format/time";
import { authenticateNodeKey } from "@/lib/game-services/edges/nodes";

const nameOf = (page: Page) => page.getByRole("textbox", { name: "Name" });

withAndWithoutJavaScript(() => {
  test("an edge node is added with a key that is shown once, renamed, given a new key beside the old one, and removed with a word on what it serves", async ({
    page,
    context,
  }) => {
    const admin = await newAccount("admin");
    await signInDirectly(context, admin.id);
    await page.goto("/dashboard");
    const place = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Edge nodes" });
    await page.setViewportSize({ width: 375, height: 800 });
    await expect(place).toBeInViewport({ ratio: 1 });
    await place.click();
    await page.getByRole("link", { name: "Add an edge node" }).click();
    const name = unique("fra");
    await nameOf(page).fill(name);
    await page.getByRole("button", { name: "Add edge node" }).click();
    const shownKey = page.locator("code").filter({ hasText: /^cedg_/ });
    const first = (await shownKey.textContent()) ?? "";
    await expect(page.getByText("edge.mjs unit http")).toBeVisible();
    const node = await db.edgeNode.findUniqueOrThrow({ where: { name } });
    expect((await authenticateNodeKey(first, new Date()))?.id).toBe(node.id);
    await page.getByRole("link", { name: "Go to the edge nodes" }).click();
    const row = page.locator(`tr[data-node="${node.id}"]`);
    await expect(row).toContainText("Waiting for its first fetch");
    // Who says nothing is not like others.
    await expect(row).not.toContainText("Like other nodes");
    await expect(shownKey).toHaveCount(0);

    // Its name is taken, also for itself when it is added again.
    await page.getByRole("link", { name: "Add an edge node" }).click();
    await nameOf(page).fill(name);
    await page.getByRole("button", { name: "Add edge node" }).click();
    await expect(page.getByText(`There is an edge node "${name}" already.`)).toBeVisible();

    const settings = `/dashboard/edge-nodes/settings?node=${node.id}`;
    await page.goto(settings);
    await nameOf(page).fill(`${name}-2`);
    await page.getByRole("button", { name: "Rename" }).click();
    await expect(page.getByText("The edge node is renamed.")).toBeVisible();
    await page.getByRole("button", { name: "Replace the key" }).click();
    await expect(shownKey).toBeVisible();
    const second = (await shownKey.textContent()) ?? "";
    for (const key of [first, second]) expect((await authenticateNodeKey(key, new Date()))?.name).toBe(`${name}-2`);
    await page.goto(settings);
    await page.getByRole("button", { name: "End the replaced keys now" }).click();
    await expect(page.getByText("Only the newest key of this edge node works now.")).toBeVisible();
    expect(await authenticateNodeKey(first, new Date())).toBeNull();

    const { id: serviceId } = await newGameService(admin.id, { name: unique("W".repeat(40)) });
    await db.edgeAcknowledgement.create({ data: { serviceId, nodeId: node.id, version: 1, servingVersion: 1 } });
    // Its page would say to an administrator that there is no such service.
    const { id: unseen } = await newGameService((await newAccount()).id, { name: unique("unseen") });
    await db.edgeAcknowledgement.create({
      data: { serviceId: unseen, nodeId: node.id, version: 1, servingVersion: 1 },
    });
    await page.getByRole("link", { name: "Remove this edge node…" }).click();
    await expect(page.getByText("2 game services lose it:")).toBeVisible();
    await expectToFit(page);
    const services = page.getByRole("listitem").filter({ hasText: "which no other live node serves" });
    await expect(services).toHaveCount(2);
    await expect(services.getByRole("link")).toHaveCount(1);
    await expect(services.getByRole("link")).toHaveAttribute("href", `/dashboard/game-services/${serviceId}`);
    await page.getByRole("button", { name: "Remove edge node" }).click();
    await expect(page.getByText("The edge node is removed.")).toBeVisible();
    await expect(row).toHaveCount(0);
    expect(await authenticateNodeKey(second, new Date())).toBeNull();
  });
});

test("edge nodes are for administrators alone: pages, forms and the question for a first fetch", async ({
  page,
  context,
}) => {
  const [customer, support] = [await newAccount(), await newAccount("support")];
  const { id } = await db.edgeNode.create({ data: { name: unique("edge") } });
  try {
    for (const { id: accountId } of [customer, support]) {
      await signInDirectly(context, accountId);
      for (const path of ["", "/new", `/settings?node=${id}`, `/remove?node=${id}`]) {
        await page.goto(`/dashboard/edge-nodes${path}`);
        await expect(page, path).toHaveURL("/dashboard/game-services");
      }
      await expect(page.getByRole("link", { name: "Edge nodes" })).toHaveCount(0);
      expect((await page.request.get(`/dashboard/edge-nodes/first-fetch?node=${id}`)).status()).toBe(404);
    }
    const admin = await newAccount("admin");
    await signInDirectly(context, admin.id);
    const fetched = async () => (await page.request.get(`/dashboard/edge-nodes/first-fetch?node=${id}`)).json();
    expect(await fetched()).toBeNull();
    await db.edgeNode.update({ where: { id }, data: { lastHeardAt: new Date(), lastHeardIp: "192.0.2.7" } });
    expect(await fetched()).toMatchObject({ ip: "192.0.2.7" });
    for (const node of ["0", "2147483647", "x"]) {
      expect((await page.request.get(`/dashboard/edge-nodes/settings?node=${node}`)).status()).toBe(404);
    }
    for (const path of ["", "/new", `/settings?node=${id}`, `/remove?node=${id}`]) {
      await page.goto(`/dashboard/edge-nodes${path}`);
      await expectAccessible(page);
      await expectToFit(page);
    }
  } finally {
    await db.edgeNode.delete({ where: { id } });
  }
});

test("the list of edge nodes names the services that a node cannot serve and says when each failed; a link has what the administrator may see", async ({
  page,
  context,
}) => {
  const admin = await newAccount("admin");
  await signInDirectly(context, admin.id);
  const { id: nodeId } = await db.edgeNode.create({ data: { name: unique("edge") } });
  try {
    const at = new Date(Date.now() - 3 * HOUR);
    const failed = { status: "failed", configVersion: 2, error: "refused", createdAt: at, updatedAt: at } as const;
    const [ownName, unseenName] = [unique("own"), unique("unseen")];
    const own = await newGameService(admin.id, { ...failed, name: ownName });
    const unseen = await newGameService((await newAccount()).id, { ...failed, name: unseenName });
    for (const { id: serviceId } of [own, unseen]) {
      await db.edgeAcknowledgement.create({ data: { serviceId, nodeId, version: 2, error: "refused" } });
    }
    await page.goto("/dashboard/edge-nodes");
    const row = page.locator(`tr[data-node="${nodeId}"]`);
    await expect(row).toContainText("2 cannot serve the newest version");
    await expect(row).toContainText(`${ownName}, failed 3 hours ago`);
    await expect(row).toContainText(`${unseenName}, failed 3 hours ago`);
    await expect(row.getByRole("link", { name: ownName })).toHaveAttribute(
      "href",
      `/dashboard/game-services/${own.id}`,
    );
    await expect(row.getByRole("link", { name: unseenName })).toHaveCount(0);
  } finally {
    await db.edgeNode.delete({ where: { id: nodeId } });
  }
});
