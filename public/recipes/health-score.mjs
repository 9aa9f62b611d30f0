// Recomputes the score from its six components, one answer of the API a line, and ends with 1 where the API said otherwise.
//   curl -sSO https://console.example.com/docs/health-score.json
//   sh fleet.sh | node health-score.mjs health-score.json
import { readFileSync } from "node:fs";

const [rules, lines] = [process.argv[2], 0].map((file) => readFileSync(file, "utf8"));
const weights = Object.entries(JSON.parse(rules).components).map(([name, { weight }]) => [name, weight]);
const servers = lines.trim().split("\n").map((line) => JSON.parse(line).data);
for (const { id, score, score_components: components } of servers) {
  const sum = weights.reduce((all, [name, weight]) => all + weight * components[name], 0);
  const recomputed = Math.round(sum / 100);
  console.log(JSON.stringify([recomputed, id]));
  if (recomputed !== score) process.exitCode = 1;
}
