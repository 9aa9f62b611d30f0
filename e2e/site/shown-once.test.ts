import { expect, onTestFinished, test } from "vitest";
import { call, origin, readLog } from "@/e2e/support/over-http";
import { startRecordingProxy } from "@/e2e/support/recording-proxy";
import { createToken, newVisitor } from "@/e2e/support/site";
import { Visitor } from "@/e2e/support/visitor";
import { db } from "@/lib/database/client";
import { TOKEN_PAGE } from "@/lib/page-paths";

// Spec 5.4: the raw token is displayed exactly once. With JavaScript: e2e/browser/create-token.spec.ts.

test("in the whole flow the raw token appears in one response body only", async () => {
  const { account, page: signedIn } = await newVisitor();
  const proxy = await startRecordingProxy(origin);
  onTestFinished(proxy.stop);
  const page = Visitor.withSession(proxy.origin, signedIn.cookies.get("session") ?? "");
  await page.goto(TOKEN_PAGE);
  const raw = await createToken(page, "watched");
  expect(page.url).not.toContain(raw);
  await call("/api/v1/me", raw);
  await page.follow("Done");
  expect(page.buttons("Create token").length).toBe(1);
  expect(page.html).not.toContain(raw);
  await page.reload();
  expect(page.html).not.toContain(raw);

  expect(proxy.bodies().filter((body) => body.includes(raw))).toHaveLength(1);
  expect(proxy.rest().filter((text) => text.includes(raw))).toEqual([]);
  expect(JSON.stringify([...page.cookies])).not.toContain(raw);
  await expect.poll(readLog).toMatch(new RegExp(`"event":"token created".*"account":${account.id}\\b`));
  expect(readLog()).not.toContain(raw.slice(5, 25));
  const rows = await db.accessToken.findMany({ where: { accountId: account.id }, omit: { tokenHash: false } });
  expect(rows).toHaveLength(1);
  expect(JSON.stringify(rows)).not.toContain(raw.slice(5, 25));
});
