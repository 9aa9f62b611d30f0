import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newServer } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { DAY, HOUR } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";

const ZONE = "Europe/Berlin";

test("a time of maintenance can be typed without looking: month, day, year, hour, minute; its pages have no axe violation and fit the screen", async ({
  page,
  account,
}) => {
  await db.account.update({ where: { id: account.id }, data: { timeZone: ZONE } });
  const { id } = await newServer(account.id, { createdAt: new Date(Date.now() - DAY), lastSeenAt: new Date() });
  await db.telemetrySample.create({ data: { serverId: id, ts: new Date(), cpuPct: 5 } });
  await page.goto(`/dashboard/servers/${id}/settings`);
  const form = page.getByRole("form", { name: "Maintenance" });
  await form.getByLabel("From").pressSequentially("030420271005PM");
  await expect(form.getByLabel("From")).toHaveValue("2027-03-04T22:05");
  await form.getByLabel("From").fill(clockField(Date.now() - HOUR, ZONE));
  await form.getByLabel("to", { exact: true }).fill(clockField(Date.now() + HOUR, ZONE));
  await form.getByRole("button", { name: "Plan" }).click();
  await expect(page.getByRole("list", { name: "Planned" }).getByRole("listitem")).toHaveCount(1);
  await expectAccessible(page);
  await expectToFit(page);
  await page.goto(`/dashboard/servers/${id}`);
  await expect(page.locator("[data-uptime='24 hours']")).toContainText(/of maintenance left out/);
  await expectAccessible(page);
  await expectToFit(page);
  await page.goto("/dashboard/servers/maintenance");
  await expectAccessible(page);
  await expectToFit(page);
});
