import { newAccount, newBenchmarkRun, newGameService, newServer } from "@/e2e/support/factories";
import { expect, getData, test } from "@/e2e/support/fixtures";
import { recordQueries } from "@/e2e/support/recorded-queries";
import { db } from "@/lib/database/client";
import { getGameService, listGameServices } from "@/lib/game-services/game-services";
import { getMetrics } from "@/lib/game-services/metrics";
import { listBenchmarks } from "@/lib/servers/benchmarks";
import { getServer, listServers } from "@/lib/servers/servers";
import { authenticate } from "@/lib/tokens/authentication";

// Authentication is one statement, and so is each endpoint, however much there is to answer.

test("authentication is one statement, and so is every endpoint; what the token did is written afterwards", async () => {
  const account = await newAccount();
  const { id: serverId } = await newServer(account.id);
  const { id: serviceId } = await newGameService(account.id);
  await newBenchmarkRun(serverId);
  await newBenchmarkRun(serverId);
  // Used just now: no use is due to be written.
  await db.accessToken.updateMany({ where: { accountId: account.id }, data: { lastUsedAt: new Date() } });
  for (const [what, run] of [
    ["/servers", () => listServers(account.id)],
    ["/servers/:id", () => getServer(account.id, String(serverId))],
    ["/servers/:id/benchmarks", () => listBenchmarks(account.id, String(serverId))],
    ["/game-services", () => listGameServices(account.id)],
    ["/game-services/:id", () => getGameService(account, String(serviceId))],
    ["/game-services/:id/metrics", () => getMetrics(account, String(serviceId), new URLSearchParams())],
    ["authenticate, all of /me", () => authenticate(account.token, { ip: null, agent: null })],
  ] as const) {
    const queries = await recordQueries(run);
    expect(queries, what).toHaveLength(1);
  }
  await expect
    .poll(() => db.tokenUseHour.count({ where: { token: { accountId: account.id } } }), { timeout: 15_000 })
    .toBe(1);
});

test("a thousand servers are one statement and one answer, complete and by id", async () => {
  const { id, token } = await newAccount();
  await db.$executeRaw`
    insert into servers (account_id, label, hostname)
    select ${id}, 'server ' || i, 'host' from generate_series(1, 1000) i`;
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct)
    select id, now() - i * interval '30 s', 40 from servers, generate_series(1, 3) i where account_id = ${id}`;
  // As check-ins do: the rows are no longer stored in the order in which they were made.
  await db.$executeRaw`update servers set last_seen_at = now() where account_id = ${id} and id % 3 = 0`;

  expect(await recordQueries(() => listServers(id))).toHaveLength(1);
  const { servers } = await getData<{ servers: { id: number; label: string }[] }>("/api/v1/servers", token);
  expect(servers.map(({ label }) => label)).toEqual(Array.from({ length: 1000 }, (_, index) => `server ${index + 1}`));
});
