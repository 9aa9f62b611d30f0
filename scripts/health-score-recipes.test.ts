import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { randomAt } from "@/e2e/support/random";
import { tempFolder } from "@/e2e/support/temp-folder";
import { needsProgram } from "@/e2e/support/unit-needs";
import { HEALTH_SCORE_RULES } from "@/lib/api/health-score-rules";
import { DAY } from "@/lib/format/time";
import { rateHealth } from "@/lib/servers/health-score";

const RECIPES = { python3: "public/recipes/health_score.py", [process.execPath]: "public/recipes/health-score.mjs" };

test("both recipes rebuild 10,000 scores from their components and report any difference", (context) => {
  needsProgram(context, "python3");
  const servers = Array.from({ length: 10_000 }, (_, index) => randomServer(index));
  for (const [program, recipe] of Object.entries(RECIPES)) {
    const { status, rated } = run(program, recipe, servers);
    expect(rated, recipe).toEqual(servers.map(({ id, score }) => [score, id]));
    expect(status, recipe).toBe(0);
    const [first] = servers;
    if (!first) throw new Error("No server.");
    expect(run(program, recipe, [{ ...first, score: first.score + 1 }]).status, recipe).toBe(1);
  }
});

function run(program: string, recipe: string, servers: readonly object[]) {
  const rules = join(tempFolder(), "health-score.json");
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

/** Anything measured or not, at any age. */
function randomServer(id: number) {
  let drawn = 0;
  const upTo = (most: number) => randomAt(100 * id + drawn++) * most;
  const measured = (most: number) => (upTo(1) < 0.75 ? upTo(most) : null);
  const now = 100 * DAY;
  const sample = {
    ts: now - upTo(1_000_000),
    cpuPct: measured(100),
    cpuStealPct: measured(30),
    cpuIowaitPct: measured(70),
    load5: measured(20),
    memUsedMb: measured(1000),
    memTotalMb: measured(1) === null ? null : 1000,
    swapUsedPct: measured(100),
    diskUsedPct: measured(100),
    netLossPct: measured(12),
    netRetransmitPct: measured(25),
    oomKills: upTo(1) < 0.1 ? 1 : 0,
  };
  const stability = {
    coveragePct: 100 - upTo(20),
    reboots: Math.floor(upTo(3)),
    oomKills: Math.floor(upTo(3)),
    failedUnits: Math.floor(upTo(3)),
    lastOomAt: null,
  };
  const facts = { lastSeenAt: now - upTo(1_000_000), cores: 4, sample, stability };
  const { score, components } = rateHealth(facts, now);
  return { id, score, score_components: components };
}
