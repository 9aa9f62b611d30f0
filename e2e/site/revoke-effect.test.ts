import { Agent, get } from "node:http";
import { expect, test } from "vitest";
import { newAccount, newNamedToken } from "@/e2e/support/factories";
import { call, origin } from "@/e2e/support/over-http";
import { newVisitor } from "@/e2e/support/site";
import { TOKEN_PAGE } from "@/lib/page-paths";

const ROUNDS = 20;

test("a token revoked on the page is refused at the very next request", async () => {
  const { account, page } = await newVisitor();
  const connection = new Agent({ keepAlive: true, maxSockets: 1 });
  const newNamed = (name: string) => newNamedToken(account.id, name);
  const sample = await newNamed("sample");
  await page.goto(`${TOKEN_PAGE}?revoke=${sample.token.id}`);
  const question = page.fieldsOf("Revoke token");
  await callOn(connection, sample.raw);
  const others = await Promise.all(Array.from({ length: 4 }, () => newAccount()));
  let isOver = false;
  const load = others.map(async ({ token }) => {
    // Fewer than their limit allows.
    for (let sent = 0; !isOver && sent < 110; sent++) await call("/api/v1/me", token);
  });

  const rounds: { before: CallResult; revoked: string | undefined; after: CallResult }[] = [];
  const expected: typeof rounds = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const { raw, token } = await newNamed(`round ${round}`);
      const before = await callOn(connection, raw);
      const fields = question.map(([name, value]) => [name, name === "id" ? String(token.id) : value] as const);
      await page.send(fields, `${TOKEN_PAGE}?revoke=${token.id}`);
      const [, revoked] = /^(.+) \(cpat_….{4}\) was revoked/.exec(page.statuses.join()) ?? [];
      rounds.push({ before, revoked, after: await callOn(connection, raw) });
      expected.push({
        before: { status: 200, isWarm: true },
        revoked: `round ${round}`,
        after: { status: 401, isWarm: true },
      });
    }
  } finally {
    connection.destroy();
    isOver = true;
    await Promise.all(load);
  }
  expect(rounds).toEqual(expected);
});

type CallResult = { status: number | undefined; isWarm: boolean };

function callOn(agent: Agent, token: string): Promise<CallResult> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${token}` };
    const request = get(`${origin}/api/v1/me`, { agent, headers }, (response) => {
      const { statusCode: status } = response;
      response.resume().once("end", () => resolve({ status, isWarm: request.reusedSocket }));
    });
    request.once("error", reject);
  });
}
