// Recomputes components and scores, one answer of the API a line, and ends with 1 where the API said otherwise.
//   curl -sSO https://console.example.com/docs/health-score.json
//   sh fleet.sh | node health-score.mjs health-score.json
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

function at(curve, x) {
  const next = curve.findIndex(([x1]) => x <= x1);
  if (next <= 0) return curve.at(next)[1];
  const [[x0, y0], [x1, y1]] = [curve[next - 1], curve[next]];
  return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
}

function rate({ latest_sample, stability, scored_at: now, facts, last_seen, created_at }, rules) {
  const [sample, past, components] = [latest_sample ?? {}, stability ?? {}, {}];
  const values = { ...sample, coverage_pct: past.coverage_pct };
  if (latest_sample || last_seen !== created_at) values.last_seen_seconds = Math.max(0, now - last_seen) / 1000;
  if (sample.mem_total_mb) values.mem_used_pct = (sample.mem_used_mb / sample.mem_total_mb) * 100;
  if (typeof facts.cores === "number" && facts.cores > 0) values.load_per_core = sample.load5 / facts.cores;
  const isKnown = ([name]) => Number.isFinite(values[name]);
  const on = (curves) => Object.entries(curves).filter(isKnown).map(([name, curve]) => at(curve, values[name]));
  const counts = at(rules.sample_age_seconds, Math.max(0, now - (sample.ts ?? now)) / 1000);
  for (const [name, { fades, curves, deductions, events, after_kill: cap }] of Object.entries(rules.components)) {
    const off = Object.entries(events).map(([of, { each, most }]) => Math.min(most, each * past[of]));
    const isKilled = sample.oom_kills > 0 || (past.last_oom_at && now - past.last_oom_at < cap?.lasts_ms);
    let points = off.reduce((left, each) => left - each, Math.min(...on(curves)) - Math.max(0, ...on(deductions)));
    if (cap && isKilled) points = Math.min(points, cap.most);
    const rated = Math.round(Math.max(0, Math.min(rules.full, points)) * (fades ? counts : 1));
    components[name] = on(curves).length > 0 ? rated : rules.not_reported;
  }
  const products = Object.entries(rules.components).map(([name, { weight }]) => weight * components[name]);
  return [Math.round(products.reduce((sum, each) => sum + each, 0) / 100), components];
}

const [rules, lines] = [process.argv[2], 0].map((file) => readFileSync(file, "utf8"));
const servers = lines.trim().split("\n").map((line) => JSON.parse(line).data);
const rated = servers.map((server) => rate(server, JSON.parse(rules)));
console.log(rated.map((each) => JSON.stringify(each)).join("\n"));
const said = servers.map(({ score, score_components: components }) => [score, components]);
process.exitCode = isDeepStrictEqual(rated, said) ? 0 : 1;
