import { startConsole } from "@/e2e/support/console-server";
import { insertNode } from "@/e2e/support/edge-nodes";
import { expect, own, test } from "@/e2e/support/fixtures";
import { fieldsOfForm, sendFields } from "@/e2e/support/html-form";
import { insertCallerWithTokens, insertReportingServer, insertSession } from "@/e2e/support/insert-caller";
import { mcpThrough } from "@/e2e/support/mcp-client";
import { needs } from "@/e2e/support/needs";
import { OWN_WAIT, SLOW } from "@/e2e/support/patience";
import { pauseTree } from "@/e2e/support/pause-tree";
import { startMigratedPostgres } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { SECOND } from "@/lib/format/time";

needs("postgres");

test("with PostgreSQL frozen every answer comes within six seconds, and afterwards all succeed", async () => {
  const postgres = await own(startMigratedPostgres());
  const app = await own(startConsole(postgres.url, OWN_WAIT));
  const { origin } = app;
  const tokens = await insertCallerWithTokens(postgres.url, "busy@example.com", 100);
  const session = await insertSession(postgres.url);
  await runSql(
    postgres.url,
    `insert into servers (account_id, label, hostname)
       select id, 'l' || n, 'h' from accounts, generate_series(1, 100) n where email = 'busy@example.com'`,
  );
  const keys = await Promise.all(Array.from({ length: 4 }, () => insertReportingServer(postgres.url)));
  const { key: edgeKey } = await insertNode(postgres.url, "fra-1");
  let sent = 0;
  const nextToken = () => tokens[sent++ % tokens.length] ?? "";
  const get = (path: string) => () => fetch(origin + path, { headers: { Authorization: `Bearer ${nextToken()}` } });
  const callTool = (name: string) => () =>
    mcpThrough((path, init) => fetch(origin + path, init)).fetchMcp(
      nextToken(),
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } },
      { "mcp-protocol-version": "2025-11-25" },
    );
  const cookie = { Cookie: `session=${session}` };
  const signIn = fieldsOfForm(await (await fetch(`${origin}/sign-in`)).text(), "Sign in");
  const typed = { email: "somebody@example.com", password: "a password" };
  const kinds: Record<string, () => Promise<Response>> = {
    "a short answer": get("/api/v1/me"),
    "a long answer": get("/api/v1/servers"),
    "all measurements": get("/metrics"),
    "a tool with a short answer": callTool("account"),
    "a tool with a long answer": callTool("servers"),
    "a page": () => fetch(`${origin}/dashboard`, { headers: cookie, redirect: "manual" }),
    "a form": () => sendFields(`${origin}/sign-in`, signIn, { Origin: origin }, typed),
    "a check-in": () =>
      fetch(`${origin}/ingest/v1/check-ins`, {
        method: "POST",
        body: JSON.stringify({ cpu_pct: 1 }),
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${keys[sent++ % keys.length]}` },
      }),
    "the configuration of an edge node": () =>
      fetch(`${origin}/ingest/v1/edge/configuration`, { headers: { Authorization: `Bearer ${edgeKey}` } }),
  };
  const answers: { kind: string; ms: number; status: number; retryAfter: number }[] = [];
  // The first page loads its code.
  for (const ask of Object.values(kinds)) expect((await ask()).status).toBeLessThan(400);
  const children = pauseTree(postgres.process());
  // More than there are connections: the second three of a kind wait for what the first hold.
  const asking = Object.entries(kinds).flatMap(([kind, ask]) =>
    [1, 2, 3].map(async () => {
      for (const _ of ["first", "second"]) {
        const start = performance.now();
        const answer = await ask();
        await answer.arrayBuffer();
        const retryAfter = Number(answer.headers.get("retry-after") ?? 0);
        answers.push({ kind, ms: performance.now() - start, status: answer.status, retryAfter });
      }
    }),
  );
  await Promise.all(asking).finally(() => children.resume());
  expect(answers.filter(({ ms }) => ms > 7 * SECOND)).toEqual([]);
  expect(answers.filter(({ status }) => status !== 503)).toEqual([]);
  expect(answers.filter(({ retryAfter }) => !(retryAfter >= 1 && retryAfter <= 5))).toEqual([]);
  for (const [kind, ask] of Object.entries(kinds)) {
    await expect.poll(async () => (await ask()).status, { ...SLOW, message: kind }).toBe(200);
  }
});
