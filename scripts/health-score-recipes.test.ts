import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { randomFacts } from "@/e2e/support/random-facts";
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

function randomServer(id: number) {
  const now = 100 * DAY;
  const { score, components } = rateHealth(randomFacts(id, now), now);
  return { id, score, score_components: components };
}
