import type { Curve } from "@/lib/servers/curve";
import { HEALTH_LEVELS } from "@/lib/servers/health-level";
import {
  COMPONENT_CURVES,
  COMPONENTS,
  DEDUCTION_CURVES,
  NOT_REPORTED,
  STABILITY_DEDUCTIONS,
  STALENESS,
  WEIGHTS,
} from "@/lib/servers/health-score";
import examples from "./examples.json";

const [{ from: WELL }, { from: STRAINED }] = HEALTH_LEVELS;

/** A curve of the health score. `described`: its points in words, "60 %: 1000, 75 %: 850". */
export type ScoreCurve = { title: string; unit: string; points: Curve; described: string };

/** "load" stands before each value of its curve. */
type Title = readonly [title: string, unit: string, quantity?: string];

const COMPONENT_TITLES: Record<keyof typeof COMPONENT_CURVES, Title> = {
  cpuPct: ["cpu: CPU use of all cores together", "%"],
  memoryPct: ["memory: memory in use", "%"],
  diskPct: ["disk: the fullest file system", "%"],
  lossPct: ["network: packets lost", "%"],
  retransmitPct: ["network: packets sent again", "%"],
  coveragePct: ["stability: minutes with a check-in, 24 hours", "%"],
  lastSeenSeconds: ["freshness: since the last check-in", "s"],
};

const DEDUCTION_TITLES: Record<keyof typeof DEDUCTION_CURVES, Title> = {
  stealPct: ["cpu: stolen by other guests", "%"],
  iowaitPct: ["cpu: waiting for disks", "%"],
  loadPerCore: ["cpu: load of five minutes", "per core", "load"],
  swapPct: ["memory: swap in use", "%"],
};

const GAINED = titled(COMPONENT_CURVES, COMPONENT_TITLES, "");
const LOST = titled(DEDUCTION_CURVES, DEDUCTION_TITLES, "−");

/** The curves by the lines that the reference has of them. */
export const CURVES_BY_LINE = new Map([...GAINED, ...LOST].map((curve) => [lineOf(curve), curve]));

const FORMULA = `score = round((${COMPONENTS.map((name) => `${WEIGHTS[name]}·${name}`).join(" + ")}) / 100)`;

/** How the score comes about: the formula on a real answer, and each curve from the table that the console uses. */
export function writeHealthScore(): string {
  const { label, score_notes: notes } = examples["/api/v1/servers/:id"].data;
  const { reboots, oomKills, failedUnits } = STABILITY_DEDUCTIONS;
  return `Six components, each an integer from 0 to 1000 and part of the answer, add up to the score by their weights. Nothing else goes into it, so anyone can recompute it: \`${FORMULA}\`. The components follow from what was measured and from the curves below, which [/docs/health-score.json](/docs/health-score.json) holds for programs together with the weights; two [recipes](/recipes/README.md) add the components up.

### A worked example {#worked-example}

“${label}” in the examples above:

${writeSum()}

Its \`score_notes\` say why: what was measured, where full score ends, and the points that it costs, worst first.

${writeList(notes)}

### The curves of the components {#curves}

Linear between the points and constant beyond them. Of the two for the network the worse one counts.

${writeList(GAINED.map(lineOf))}

### What is taken off {#deductions}

Of the three for the CPU only the largest counts. Memory is at most 300 for 30 minutes after a process was killed for lack of it. Stability loses ${reboots.each} points per restart (at most ${reboots.most}), ${oomKills.each} per process killed for lack of memory (${oomKills.most}) and ${failedUnits.each} per failed system service (${failedUnits.most}).

${writeList(LOST.map(lineOf))}

### Old samples, and what was not reported {#old-samples}

CPU, memory, disk and network rest on the latest sample. They count fully until it is ${STALENESS[0]?.[0]} seconds old and fade to nothing at ${STALENESS.at(-1)?.[0]} seconds. What was not reported counts 500: proof neither of health nor of illness, never left out.

### Healthy, strained, critical {#levels}

The console says the same words, in the same colours, of a score and of each component: ${HEALTH_LEVELS.map(({ name, from }) => `${name} from ${from} up`).join(", ")}. The API answers the numbers alone.

### Needs attention {#attention}

A component at zero costs at most ${Math.max(...Object.values(WEIGHTS)) * 10} points, so the score alone would call a machine with a full disk healthy. The console says that a server needs attention when its score is under ${WELL}, when a component is under ${STRAINED}, or when it had an outage of more than 2.5 minutes or an unexpected restart in the last 24 hours. \`/metrics\` says so too, as \`console_server_needs_attention\`. Offline servers are counted separately.

### Before the first check-in {#never-checked-in}

A server that has never checked in has a score of ${NOT_REPORTED}: nothing was reported, and everything not reported counts ${NOT_REPORTED}. That says nothing about the machine. The pages show “–” in its place; in \`/metrics\` the label \`checked_in="false"\` of \`console_server_info\` lets an alert leave it out.`;
}

/** The score of the example from its components, as a table; a row without values between its name and the last one is a total. */
function writeSum(): string {
  const { score, score_components: components } = examples["/api/v1/servers/:id"].data;
  const rows = COMPONENTS.map((name) => [name, components[name], WEIGHTS[name], WEIGHTS[name] * components[name]]);
  const lines = [
    ["Component", "Points", "Weight", "Product"],
    ["---", "---", "---", "---"],
    ...rows,
    ["Sum", "", "", rows.reduce((sum, row) => sum + Number(row.at(-1)), 0)],
    ["Divided by 100 and rounded: the score", "", "", score],
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function writeList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function lineOf({ title, described }: ScoreCurve): string {
  return `${title}: ${described}`;
}

/** `sign` stands before points that are not 0. */
function titled<Name extends string>(
  curves: Record<Name, Curve>,
  titles: Record<Name, Title>,
  sign: "" | "−",
): ScoreCurve[] {
  return (Object.keys(curves) as Name[]).map((name) => {
    const [title, unit, quantity] = titles[name];
    const points = curves[name];
    const described = points.map(
      ([value, gained]) => `${quantity ? `${quantity} ` : ""}${value} ${unit}: ${gained > 0 ? sign : ""}${gained}`,
    );
    return { title, unit, points, described: described.join(", ") };
  });
}
