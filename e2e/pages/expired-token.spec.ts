import { newNamedToken } from "@/e2e/support/factories";
import { call } from "@/e2e/support/fixtures";
import { expect, TOKEN_PAGE, test } from "@/e2e/support/pages";
import { db } from "@/lib/database/client";
import { HOUR } from "@/lib/time";

test("an expired token that is still used shows it on its row: how often, when last, from where, with what", async ({
  page,
  account,
}) => {
  const { raw, token } = await newNamedToken(account.id, "forgotten dashboard");
  await db.accessToken.update({ where: { id: token.id }, data: { expiresAt: new Date(Date.now() - HOUR) } });
  for (let i = 0; i < 3; i++) {
    const headers = { "User-Agent": "Grafana/12.2.0", "X-Forwarded-For": "203.0.113.17" };
    expect((await call("/api/v1/me", raw, { headers })).status).toBe(401);
  }
  await expect.poll(async () => (await db.accessToken.findUnique({ where: { id: token.id } }))?.refusedCount).toBe(3);
  await page.goto(TOKEN_PAGE);
  const ended = page.getByRole("table", { name: "Revoked and expired tokens" });
  const row = ended.getByRole("row", { name: /forgotten dashboard/ });
  await expect(row).toContainText("Expired 1 hour ago");
  await expect(row).toContainText(
    /Refused 3 times since, last (?:just now|\d+ seconds ago) from 203\.0\.113\.17 \(Grafana/,
  );
});
