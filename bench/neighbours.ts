import { randomBytes } from "node:crypto";
import pg from "pg";
import { hasRedis, startRedis } from "@/e2e/support/redis-server";
import { hashToken, mintToken } from "@/lib/tokens/format";
import type { Bench, BenchRequest, Target } from "./bench";

const SECOND = 1000;
/** The goal: beside an attack, p95 may be this many times as long as in peace, or this many milliseconds longer. */
const GOAL_TIMES = 5;
const GOAL_MS = 250;

const MEASURED = { connections: 1, pauseMs: 5, ms: 3 * SECOND } as const;
const CHECK_IN = JSON.stringify({ cpu_pct: 12.5, mem_used_mb: 9000, mem_total_mb: 16_000 });
const CHECK_INS = "/ingest/v1/check-ins";
const FLEET = "/dashboard";
const BOUNDARY = "neighbours";

/** Sessions of the account with 1,000 servers, which attacks, and of the one with 10, and the key of a server of the latter. */
type People = { attacker: string; quiet: string; key: string; serverId: number };

/** Runs each attack of one account or network. Measures how much longer a customer with few requests waits. */
export async function neighbours(bench: Bench): Promise<(readonly string[])[]> {
  const people = await addPeople(bench.data.url);
  const rows: (readonly string[])[] = [
    ["workers", "attack", "quiet", "p95 in peace", "p95 beside it", "times", "refused", "goal"],
  ];
  for (const workers of hasRedis() ? [1, 2] : [1]) {
    const redis = workers > 1 ? bench.own(await startRedis()) : null;
    const variables = { TRUSTED_PROXIES: "1", ...(redis && { REDIS_URL: redis.url }) };
    const app = await bench.startApp(variables, workers);
    const attacks = await attacksOf(bench, app, people);
    const quiet = quietOf(bench, people);
    for (const [what, request] of Object.entries(quiet)) {
      await bench.ask(app, { ...request, ms: SECOND });
      const peace = await bench.ask(app, request);
      for (const [attack, attacking] of Object.entries(attacks)) {
        const [beside] = await bench.askBoth(app, request, {
          ...attacking,
          status: "any",
          ms: MEASURED.ms + SECOND / 2,
        });
        const [before, during] = [peace.p95Ms, beside.p95Ms];
        const isMet = beside.refused === 0 && (during <= GOAL_TIMES * before || during <= before + GOAL_MS);
        const figures = [`${before.toFixed(1)} ms`, `${during.toFixed(1)} ms`, (during / before).toFixed(1)];
        rows.push([String(workers), attack, what, ...figures, String(beside.refused), isMet ? "met" : "missed"]);
        await bench.rest(SECOND);
      }
    }
    await app.stop();
    await redis?.stop();
  }
  return rows;
}

function quietOf({ data }: Bench, { quiet, key }: People): Record<string, BenchRequest> {
  const any = { ...MEASURED, status: "any" as const };
  return {
    "GET /me": { ...any, path: "/api/v1/me", tokens: data.tokens[10] },
    "a check-in": { ...any, path: CHECK_INS, tokens: [key], body: CHECK_IN, pauseMs: 250 },
    "the fleet page": { ...any, path: FLEET, tokens: [], headers: [`Cookie: ${quiet}`] },
    "/readyz": { ...any, path: "/readyz", tokens: [] },
  };
}

async function attacksOf({ data }: Bench, app: Target, people: People): Promise<Record<string, BenchRequest>> {
  const origin = `http://localhost:${app.port}`;
  const settings = `/dashboard/servers/${people.serverId}/settings`;
  const cookie = `Cookie: ${people.attacker}`;
  const form = { tokens: [], contentType: `multipart/form-data; boundary=${BOUNDARY}` };
  const week = `/api/v1/game-services/${data.services[4]}/metrics?range=7d`;
  const local = "Origin: http://localhost";
  return {
    "236 scrapes of 1,000 servers": { path: "/metrics", tokens: data.tokens[1000], connections: 236 },
    "12 clients of weeks": { path: week, tokens: data.tokens[100].slice(0, 12), connections: 12 },
    "30 that read no week": { path: week, tokens: data.tokens[100].slice(12, 18), connections: 30, isUnread: true },
    "150 check-ins": { path: CHECK_INS, tokens: data.keys, body: CHECK_IN, connections: 150 },
    "60 forms of one server": {
      ...form,
      path: settings,
      headers: [cookie, local],
      body: await formOf(origin + settings, people.attacker, "Replace the key"),
      connections: 60,
    },
    "20 fleet pages of 1,000 servers": { path: FLEET, tokens: [], headers: [cookie], connections: 20 },
    "40 readers of the reference": { path: "/docs/api", tokens: [], connections: 40 },
    "a home that guesses passwords": {
      ...form,
      path: "/sign-in",
      headers: [local, "X-Forwarded-For: 2001:db8:1:1{n}::1"],
      body: await formOf(`${origin}/sign-in`, "", "Sign in", {
        email: "nobody@example.com",
        password: "wrong password",
      }),
      connections: 40,
    },
  };
}

/** The hidden fields of the form with this button, and others, as a browser without scripts sends them. */
async function formOf(url: string, cookie: string, button: string, others: Record<string, string> = {}) {
  const html = await (await fetch(url, { headers: { Cookie: cookie } })).text();
  const form = html.split("<form").find((part) => part.slice(0, part.indexOf("</form>")).includes(button)) ?? "";
  const hidden = [...form.slice(0, form.indexOf("</form>")).matchAll(/<input type="hidden"([^>]*)>/g)].map(
    ([, text = ""]) => {
      const value = (name: string) =>
        (new RegExp(` ${name}="([^"]*)"`).exec(text)?.[1] ?? "").replaceAll("&quot;", '"');
      return [value("name"), value("value")];
    },
  );
  const parts = [...hidden, ...Object.entries(others)].map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

async function addPeople(url: string): Promise<People> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const session = async (name: string) => {
      const token = randomBytes(32).toString("base64url");
      await client.query(
        `insert into sessions (token_hash, account_id, expires_at)
        select $1, id, now() + interval '30 days' from accounts where name = $2`,
        [hashToken(token), name],
      );
      return `session=${token}`;
    };
    const firstServer = async (name: string): Promise<number> => {
      const { rows } = await client.query(
        "select min(s.id)::int as id from servers s join accounts a on a.id = s.account_id where a.name = $1",
        [name],
      );
      return rows[0].id;
    };
    const key = mintToken("serverKey");
    await client.query("insert into server_keys (server_id, key_hash, hint) values ($1, $2, 'xxxx')", [
      await firstServer("with 10 servers"),
      hashToken(key),
    ]);
    return {
      attacker: await session("with 1000 servers"),
      quiet: await session("with 10 servers"),
      key,
      serverId: await firstServer("with 1000 servers"),
    };
  } finally {
    await client.end();
  }
}
