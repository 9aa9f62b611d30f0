import { newAccount, newIp, PASSWORD, unique } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { expect, fieldsOf, sendFields, test } from "@/e2e/support/pages";
import { FACT } from "@/e2e/support/patience";
import { setAccountDisabled } from "@/lib/accounts/accounts";
import { hashPassword } from "@/lib/accounts/passwords";
import { db } from "@/lib/database/client";

const ROUNDS = 12;

test.use({ javaScriptEnabled: false });

test("a refusal's time reveals neither an account's existence nor its state", {
  tag: "@waits",
}, async ({ page }) => {
  const passwordHash = await hashPassword(PASSWORD);
  const known = await newAccount();
  const disabled = await newAccount();
  for (const { id } of [known, disabled]) await db.account.update({ where: { id }, data: { passwordHash } });
  await setAccountDisabled(disabled.email, true);
  const withoutPassword = await newAccount();
  await db.account.update({ where: { id: withoutPassword.id }, data: { passwordHash: null } });
  const attempts = {
    "unknown e-mail": { email: `${unique("nobody")}@example.com`, password: PASSWORD },
    "wrong password": { email: known.email, password: "a wrong password" },
    "disabled account": { email: disabled.email, password: PASSWORD },
    "account without a password": { email: withoutPassword.email, password: PASSWORD },
  };
  await page.goto("/sign-in");
  const url = page.url();
  const fields = await fieldsOf(page);

  const times = new Map<string, number[]>(Object.keys(attempts).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    // Interleaved, so that whatever else the machine does falls on all of them.
    for (const [name, changes] of Object.entries(attempts)) {
      const headers = { Origin: new URL(url).origin, "X-Forwarded-For": newIp() };
      const start = performance.now();
      const answer = await (await sendFields(url, fields, headers, changes)).text();
      times.get(name)?.push(performance.now() - start);
      expect(answer).toContain("Wrong e-mail or password.");
    }
  }
  const medians = Object.fromEntries([...times].map(([name, values]) => [name, medianOf(values)]));
  const [fastest, slowest] = [Math.min(...Object.values(medians)), Math.max(...Object.values(medians))];
  expect(slowest / fastest, JSON.stringify(medians)).toBeLessThan(2);
});

function medianOf(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

test("no request head slows a page noticeably, and too many parameters are 400", async () => {
  const least = async (query: string, headers: Record<string, string>) => {
    const tries: { status: number; ms: number }[] = [];
    for (let time = 0; time < 5; time++) {
      const startedAt = performance.now();
      const answer = await fetch(`${sharedOrigin()}/no/such/page${query}`, { headers });
      await answer.text();
      const { status } = answer;
      tries.push({ status, ms: performance.now() - startedAt });
    }
    return tries.reduce((a, b) => (b.ms < a.ms ? b : a));
  };
  const parts = 1100;
  const deep = `${'["",{"a":'.repeat(parts)}["",{}]${"}]".repeat(parts)}`;
  const short = await least("", {});
  expect(short.status).toBe(404);
  for (const [query, headers, status] of [
    ["", { "User-Agent": "a".repeat(14_000) }, 404],
    [`?${"a=1&".repeat(99)}`, {}, 404],
    [`?${"a=1&".repeat(100)}`, {}, 400],
    [`?${"a=1&".repeat(3600)}`, {}, 400],
    ["", { RSC: "1", "Next-Router-State-Tree": deep }, 400],
  ] as const) {
    const what = `${query.length} ${Object.keys(headers)}`;
    // Each took from a third of a second to a second of the process. On a busy machine the least of five may still be long.
    await expect(async () => {
      const long = await least(query, headers);
      expect(long.status, what).toBe(status);
      expect(long.ms - short.ms, what).toBeLessThan(200);
    }).toPass({ timeout: FACT });
  }
});
