import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseEnv } from "@/lib/process/env-variables";
import { SECOND } from "@/lib/time";
import { startEmbeddedDatabase } from "@/server/embedded/database";
import { startApp } from "./app-process";
import { buildIfChanged, DIST_DIRS } from "./build";
import { CommandError } from "./command-error";
import { migrate } from "./database";

const SERVERS = 1000;
const INTERVALS = 40_000;
const CONNECTIONS = 8;
const ROUND = 2 * SECOND;
const ROUNDS = 3;

/**
 * `npm run bench`: what each endpoint costs, as a ratio to a handler that does nothing, on this machine and in this
 * run. The client shares the machine with the server, so only the ratios mean anything. Loopback only, ends by itself.
 */
export async function main(): Promise<void> {
  if (parseEnv(process.env).databaseUrl) {
    throw new CommandError("The benchmark fills an embedded database of its own; unset DATABASE_URL.");
  }
  buildIfChanged(DIST_DIRS.test);
  const database = await startEmbeddedDatabase();
  process.env.DATABASE_URL = database.url;
  await migrate(database.url);
  const { tokens, serviceId, serverId } = await fill();
  const app = await startApp({
    databaseUrl: database.url,
    host: "127.0.0.1",
    port: 0,
    mode: "production",
    distDir: DIST_DIRS.test,
  });
  const paths = {
    "a handler that does nothing": "/healthz",
    "401, no token": "/api/v1/me?",
    "GET /me": "/api/v1/me",
    "GET /servers/:id": `/api/v1/servers/${serverId}`,
    [`GET /servers, ${SERVERS} of them`]: "/api/v1/servers",
    [`metrics, ${INTERVALS} intervals`]: `/api/v1/game-services/${serviceId}/metrics?range=7d`,
  };
  try {
    const rates = new Map<string, number>();
    for (let round = 0; round < ROUNDS; round++) {
      // Interleaved, so that whatever else the machine does falls on all of them.
      for (const [name, path] of Object.entries(paths)) {
        const withToken = path.startsWith("/api") && !path.endsWith("?");
        rates.set(name, Math.max(rates.get(name) ?? 0, await measure(app.origin + path, withToken ? tokens : [])));
      }
    }
    const base = rates.get("a handler that does nothing") ?? Number.NaN;
    for (const [name, rate] of rates) {
      console.log(
        `${name.padEnd(32)} ${rate.toFixed(1).padStart(8)} requests/s   ${(base / rate).toFixed(2).padStart(8)} ×`,
      );
    }
    const series = app.origin + paths[`metrics, ${INTERVALS} intervals`];
    const stall = await measureStall(series, tokens[0] ?? "", `${app.origin}/healthz`);
    console.log(`While such series are fetched one by one, another request waits ${stall.toFixed(1)} ms at most.`);
  } finally {
    await app.stop();
    await database.stop();
  }
}

/** Requests answered per second over some connections. Enough tokens that none meets its limit. */
async function measure(url: string, tokens: string[]): Promise<number> {
  const start = performance.now();
  let [sent, answered] = [0, 0];
  const client = async () => {
    while (performance.now() - start < ROUND) {
      const token = tokens[sent++ % tokens.length];
      const response = await fetch(url, token ? { headers: { Authorization: `Bearer ${token}` } } : {});
      await response.arrayBuffer();
      if (token && response.status !== 200) throw new CommandError(`${url} answered ${response.status}.`);
      answered++;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, client));
  return (answered * SECOND) / (performance.now() - start);
}

/**
 * The longest that a request for nothing took while large answers were under way, in milliseconds. Both are asked for
 * by processes of their own: this one holds the database, and is busy whenever that is.
 */
async function measureStall(url: string, token: string, smallUrl: string): Promise<number> {
  const receiver = spawn(process.execPath, ["--input-type=module", "-e", RECEIVE, url, token], { stdio: "inherit" });
  const meter = spawn(process.execPath, ["--input-type=module", "-e", METER, smallUrl], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  meter.stdout.on("data", (chunk) => (output += chunk));
  await Promise.all([once(receiver, "exit"), once(meter, "exit")]);
  return Number(output);
}

const RECEIVE = `
  const [url, token] = process.argv.slice(1);
  const headers = { Authorization: "Bearer " + token, "Accept-Encoding": "identity" };
  for (const end = Date.now() + ${2 * ROUND}; Date.now() < end; ) await (await fetch(url, { headers })).arrayBuffer();`;

/** Begins later and ends earlier than the other. */
const METER = `
  const [url] = process.argv.slice(1);
  await new Promise((resolve) => setTimeout(resolve, ${ROUND / 2}));
  let longest = 0;
  for (const end = Date.now() + ${ROUND}; Date.now() < end; ) {
    const start = performance.now();
    await (await fetch(url)).arrayBuffer();
    longest = Math.max(longest, performance.now() - start);
  }
  console.log(longest);`;

async function fill(): Promise<{ tokens: string[]; serviceId: number; serverId: number }> {
  // Imported late: the database client reads DATABASE_URL when it is loaded.
  const { db } = await import("@/lib/database/client");
  const { hashToken, mintToken } = await import("@/lib/tokens/format");
  const { id: accountId } = await db.account.create({ data: { name: "Bench", email: "bench@example.com" } });
  const tokens = Array.from({ length: 400 }, mintToken);
  await db.accessToken.createMany({
    data: tokens.map((raw) => ({ accountId, name: "bench", tokenHash: hashToken(raw), hint: raw.slice(-4) })),
  });
  await db.$executeRaw`insert into servers (account_id, label, hostname) select ${accountId}, 'l', 'h' from generate_series(1, ${SERVERS}::int)`;
  await db.$executeRaw`
    insert into telemetry_samples (server_id, ts, cpu_pct, mem_used_mb, mem_total_mb, disk_used_pct, net_loss_pct)
    select s.id, now() - i * interval '30 s', 40, 500, 1000, 50, 0 from servers s, generate_series(1, 20) i`;
  const { id: serviceId } = await db.gameService.create({
    data: { accountId, name: "bench", javaHostname: "j.example.net", originHost: "192.0.2.1", originPort: 25_565 },
  });
  await db.$executeRaw`
    insert into metric_samples select ${serviceId}, now() - i / 4 * interval '1 min', i % 4, i, i * 100, 0, 7, 12.5
    from generate_series(0, ${INTERVALS - 1}::int) i`;
  const server = await db.server.findFirstOrThrow({ select: { id: true } });
  await db.$disconnect();
  return { tokens, serviceId, serverId: server.id };
}
