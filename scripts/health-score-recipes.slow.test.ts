import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { needsProgram } from "@/e2e/support/unit-needs";
import { HEALTH_SCORE_RULES } from "@/lib/api/health-score-rules";
import type { ServerDetail } from "@/lib/api/schemas";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { recordOfHours } from "@/lib/servers/stability";
import type { StoredSample } from "@/lib/servers/telemetry/measurements";
import { randomAt } from "@/prisma/demo/random";
import { startEmbeddedDatabase } from "@/server/embedded/database";
import { migrate } from "./database";

const RECIPES = { python3: "public/recipes/health_score.py", [process.execPath]: "public/recipes/health-score.mjs" };
const RANDOM_SERVERS = 10_000;

let database: Awaited<ReturnType<typeof startEmbeddedDatabase>>;
let details: { demo: ServerDetail[]; random: ServerDetail[] };
let single: ServerDetail;
let dir: string;
const around = { from: 0, until: 0 };

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "console-recipes-"));
  database = await startEmbeddedDatabase();
  process.env.DATABASE_URL = database.url;
  await migrate(database.url);
  // Imported late: the database client reads DATABASE_URL when it is loaded.
  const { db } = await import("@/lib/database/client");
  const { seedDemo } = await import("@/prisma/demo/seed");
  const { getServer, listServerDetails } = await import("@/lib/servers/servers");
  await seedDemo();
  const demoAccounts = await db.account.findMany({ select: { id: true } });
  const { id } = await db.account.create({ data: { name: "Random", email: "random@example.com" } });
  const servers = randomServers(id);
  for (let start = 0; start < servers.length; start += 1000) {
    await db.server.createMany({ data: servers.slice(start, start + 1000) });
  }
  const demo = await Promise.all(demoAccounts.map((account) => listServerDetails(account.id)));
  around.from = Date.now();
  details = { demo: demo.flat(), random: await listServerDetails(id) };
  around.until = Date.now();
  single = await getServer(id, String(details.random[0]?.id));
  await db.$disconnect();
}, 3 * MINUTE);

afterAll(async () => {
  await database.stop();
  rmSync(dir, { recursive: true, force: true });
});

test("every demo server and 10,000 random ones in every state: both recipes, of at most 40 lines, recompute all six components and the score from the detail and the published rules", (context) => {
  needsProgram(context, "python3");
  const all = [...details.demo, ...details.random];
  expect(details.demo.length).toBeGreaterThan(5);
  expect(details.random).toHaveLength(RANDOM_SERVERS);
  // The random ones reach every number of points that decides something.
  for (const name of Object.keys(HEALTH_SCORE_RULES.components) as (keyof ServerDetail["score_components"])[]) {
    const points = new Set(details.random.map((server) => server.score_components[name]));
    expect([points.has(0), points.has(500), points.has(1000), points.size > 100], name).toEqual(Array(4).fill(true));
  }
  const expected = all.map(({ score, score_components: components }) => [score, components]);
  for (const [program, recipe] of Object.entries(RECIPES)) {
    expect(readFileSync(recipe, "utf8").trimEnd().split("\n").length, recipe).toBeLessThanOrEqual(40);
    const { status, rated } = run(program, recipe, all);
    expect(rated, recipe).toEqual(expected);
    expect(status, recipe).toBe(0);
    const [first] = all;
    if (!first) throw new Error("No server.");
    expect(run(program, recipe, [{ ...first, score: first.score + 1 }]).status, recipe).toBe(1);
  }
});

test("the detail of one server is that of the list of details, at another moment", () => {
  const moving = { scored_at: 0, score: 0, score_components: 0, score_notes: 0, stability: 0 };
  expect({ ...single, ...moving }).toEqual({ ...details.random[0], ...moving });
  expect(new Set(details.random.map(({ scored_at }) => scored_at)).size).toBe(1);
  expect(details.random[0]?.scored_at).toBeGreaterThanOrEqual(around.from);
  expect(details.random[0]?.scored_at).toBeLessThanOrEqual(around.until);
});

function run(program: string, recipe: string, servers: ServerDetail[]) {
  const rules = join(dir, "health-score.json");
  writeFileSync(rules, JSON.stringify(HEALTH_SCORE_RULES));
  const input = servers.map((data) => `${JSON.stringify({ data })}\n`).join("");
  const { status, stdout, stderr } = spawnSync(program, [recipe, rules], {
    input,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (stderr) throw new Error(stderr);
  const rated = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  return { status, rated };
}

/** Servers of every age, with anything measured or not, at and between the points of the curves. */
function randomServers(accountId: number) {
  let drawn = 0;
  const upTo = (most: number) => randomAt(drawn++) * most;
  const chance = (part: number) => upTo(1) < part;
  const now = Date.now();
  const percent = () => (chance(0.2) ? Math.round(upTo(20)) * 5 : chance(0.5) ? upTo(10) : upTo(100));
  return Array.from({ length: RANDOM_SERVERS }, (_, index) => {
    const createdAt = now - upTo(30 * DAY);
    const lastSeenAt = chance(0.1) ? createdAt : now - upTo(chance(0.7) ? 3 * MINUTE : 30 * MINUTE);
    const measured = (value: () => number) => (chance(0.75) ? value() : null);
    const memTotal = measured(() => (chance(0.05) ? 0 : 1 + upTo(64_000)));
    const latestSample: StoredSample = {
      cpu_pct: measured(percent),
      cpu_steal_pct: measured(percent),
      cpu_iowait_pct: measured(percent),
      load5: measured(() => upTo(20)),
      mem_total_mb: memTotal,
      mem_used_mb: measured(() => ((memTotal ?? 1000) * percent()) / 100),
      swap_used_pct: measured(percent),
      disk_used_pct: measured(percent),
      net_loss_pct: measured(percent),
      net_retransmit_pct: measured(percent),
      oom_kills: measured(() => (chance(0.1) ? 1 : 0)),
    };
    const hours = Array.from({ length: 25 }, (_, hour) => ({
      hour: Math.floor(now / HOUR) - 24 + hour,
      minutes: chance(0.9) ? 60 : Math.floor(upTo(61)),
      reboots: chance(0.02) ? 1 : 0,
      oom_kills: chance(0.02) ? 2 : 0,
    }));
    const rest = { last_oom_at: chance(0.2) ? now - Math.floor(upTo(HOUR)) : null, failed_units: chance(0.2) ? 2 : 0 };
    const isSampled = lastSeenAt !== createdAt && chance(0.9);
    return {
      accountId,
      label: `r${index}`,
      hostname: `r${index}.example.net`,
      createdAt: new Date(createdAt),
      lastSeenAt: new Date(lastSeenAt),
      facts: chance(0.8) ? { cores: chance(0.1) ? "four" : Math.floor(upTo(16)) } : {},
      ...(isSampled && { latestSample, latestSampleAt: new Date(lastSeenAt - (chance(0.5) ? 0 : upTo(10 * MINUTE))) }),
      ...(chance(0.9) && { stability: recordOfHours(chance(0.1) ? [] : hours, rest) }),
    };
  });
}
