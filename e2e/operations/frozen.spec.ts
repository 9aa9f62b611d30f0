import { startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { fieldsOfForm } from "@/e2e/support/html-form";
import { insertCallerWithTokens, insertReportingServer, insertSession } from "@/e2e/support/insert-caller";
import { mcpThrough } from "@/e2e/support/mcp-client";
import { needs } from "@/e2e/support/needs";
import { OWN_WAIT, SLOW } from "@/e2e/support/patience";
import { pauseTree } from "@/e2e/support/pause-tree";
import { startPostgres } from "@/e2e/support/postgres-server";
import { runSql } from "@/e2e/support/run-sql";
import { SECOND } from "@/lib/format/time";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { migrate } from "@/scripts/database";

needs("postgres");

test("with PostgreSQL frozen every answer comes within six seconds, and afterwards all succeed", async () => {
  const postgres = await startPostgres();
  await migrate(postgres.url);
  const app = await startConsole(postgres.url, OWN_WAIT);
  const { origin } = app;
  const tokens = await insertCallerWithTokens(postgres.url, "busy@example.com", 400);
  const session = await insertSession(postgres.url);
  await runSql(
    postgres.url,
    `insert into servers (account_id, label, hostname)
       select id, 'l' || n, 'h' from accounts, generate_series(1, 100) n where email = 'busy@example.com'`,
  );
  const keys = await Promise.all(Array.from({ length: 4 }, () => insertReportingServer(postgres.url)));
  const edgeKey = mintToken("edgeKey");
  await runSql(
    postgres.url,
    `with n as (insert into edge_nodes (name) values ('fra-1') returning id)
     insert into edge_node_keys (node_id, key_hash, hint) select id, '${hashToken(edgeKey)}', 'hint' from n`,
  );
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
  const signIn = new FormData();
  for (const [name, value] of fieldsOfForm(await (await fetch(`${origin}/sign-in`)).text(), "Sign in")) {
    signIn.append(name, value || "somebody@example.com");
  }
  const kinds: Record<string, { ask: () => Promise<Response>; atOnce: number }> = {
    "a short answer": { ask: get("/api/v1/me"), atOnce: 20 },
    "a long answer": { ask: get("/api/v1/servers"), atOnce: 20 },
    "all measurements": { ask: get("/metrics"), atOnce: 4 },
    "a tool with a short answer": { ask: callTool("account"), atOnce: 4 },
    "a tool with a long answer": { ask: callTool("servers"), atOnce: 4 },
    "a page": { ask: () => fetch(`${origin}/dashboard`, { headers: cookie, redirect: "manual" }), atOnce: 4 },
    "a form": {
      ask: () =>
        fetch(`${origin}/sign-in`, { method: "POST", body: signIn, headers: { Origin: origin }, redirect: "manual" }),
      atOnce: 2,
    },
    "a check-in": {
      ask: () =>
        fetch(`${origin}/ingest/v1/check-ins`, {
          method: "POST",
          body: JSON.stringify({ cpu_pct: 1 }),
          headers: { "Content-Type": "application/json", Authorization: `Bearer ${keys[sent++ % keys.length]}` },
        }),
      atOnce: 10,
    },
    "the configuration of an edge node": {
      ask: () => fetch(`${origin}/ingest/v1/edge/configuration`, { headers: { Authorization: `Bearer ${edgeKey}` } }),
      atOnce: 2,
    },
  };
  const answers: { kind: string; start: number; ms: number; status: number; retryAfter: number }[] = [];
  // The first page loads its code, which takes long beside so many requests.
  for (const { ask } of Object.values(kinds)) expect((await ask()).status).toBeLessThan(400);
  let isOver = false;
  const load = Object.entries(kinds).flatMap(([kind, { ask, atOnce }]) =>
    Array.from({ length: atOnce }, async () => {
      while (!isOver) {
        const start = performance.now();
        const answer = await ask();
        await answer.arrayBuffer();
        const retryAfter = Number(answer.headers.get("retry-after") ?? 0);
        answers.push({ kind, start, ms: performance.now() - start, status: answer.status, retryAfter });
        if (answer.status === 429) await new Promise((resolve) => setTimeout(resolve, SECOND));
      }
    }),
  );
  const refused = (kind: string) => answers.filter((answer) => answer.kind === kind && answer.status === 503).length;
  await expect.poll(() => new Set(answers.map(({ kind }) => kind)).size).toBe(Object.keys(kinds).length);
  const frozenAt = performance.now();
  const children = pauseTree(postgres.process());
  try {
    // Twice as many as ask at once: the first began before, the second wait for what the first hold.
    for (const [kind, { atOnce }] of Object.entries(kinds)) {
      if (kind !== "a form") await expect.poll(() => refused(kind), SLOW).toBeGreaterThan(2 * atOnce);
    }
  } finally {
    isOver = true;
    await Promise.all(load);
    children.resume();
  }
  // Until it froze, a request waited for a core: what was asked before counts from then.
  const late = answers.filter(({ start, ms }) => start + ms - Math.max(start, frozenAt) > 7 * SECOND);
  expect(late).toEqual([]);
  expect(
    [...new Set(answers.map(({ status }) => status))].filter((status) => ![200, 429, 503].includes(status)),
  ).toEqual([]);
  expect(answers.filter(({ status, retryAfter }) => status === 503 && !(retryAfter >= 1 && retryAfter <= 5))).toEqual(
    [],
  );
  for (const [kind, { ask }] of Object.entries(kinds)) {
    // Too many of them have come from this ip by now.
    if (kind !== "a form") await expect.poll(async () => (await ask()).status, { ...SLOW, message: kind }).toBe(200);
  }
  await app.stop();
  await postgres.stop();
});
