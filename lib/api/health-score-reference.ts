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
import { type Block, heading, type TitledCurve, text } from "./reference-blocks";

const [{ from: WELL }, { from: STRAINED }] = HEALTH_LEVELS;

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

const FORMULA = `score = round((${COMPONENTS.map((name) => `${WEIGHTS[name]}·${name}`).join(" + ")}) / 100)`;

/** How the score comes about: the formula on a real answer, and each curve from the table that the console uses. */
export function healthScoreBlocks(): Block[] {
  const { label, score, score_components: components, score_notes: notes } = examples["/api/v1/servers/:id"].data;
  const products = COMPONENTS.map((name) => WEIGHTS[name] * components[name]);
  const { reboots, oomKills, failedUnits } = STABILITY_DEDUCTIONS;
  return [
    text(
      `Six components, each an integer from 0 to 1000 and part of the answer, add up to the score by their weights. Nothing else goes into it, so anyone can recompute it: \`${FORMULA}\`. The components follow from what was measured and from the curves below, which [/docs/health-score.json](/docs/health-score.json) holds for programs together with the weights; two [recipes](/recipes/README.md) add the components up.`,
    ),
    heading("worked-example", "A worked example"),
    text(`“${label}” in the examples above:`),
    {
      kind: "sum",
      sum: {
        columns: ["Component", "Points", "Weight", "Product"],
        rows: COMPONENTS.map((name, index) => [name, components[name], WEIGHTS[name], products[index] ?? 0]),
        totals: [
          ["Sum", products.reduce((sum, product) => sum + product, 0)],
          ["Divided by 100 and rounded: the score", score],
        ],
      },
    },
    text(
      "Its `score_notes` say why: what was measured, where full score ends, and the points that it costs, worst first.",
    ),
    { kind: "list", items: notes },
    heading("curves", "The curves of the components"),
    text("Linear between the points and constant beyond them. Of the two for the network the worse one counts."),
    { kind: "curves", curves: titled(COMPONENT_CURVES, COMPONENT_TITLES, false) },
    heading("deductions", "What is taken off"),
    text(
      `Of the three for the CPU only the largest counts. Memory is at most 300 for 30 minutes after a process was killed for lack of it. Stability loses ${reboots.each} points per restart (at most ${reboots.most}), ${oomKills.each} per process killed for lack of memory (${oomKills.most}) and ${failedUnits.each} per failed system service (${failedUnits.most}).`,
    ),
    { kind: "curves", curves: titled(DEDUCTION_CURVES, DEDUCTION_TITLES, true) },
    heading("old-samples", "Old samples, and what was not reported"),
    text(
      `CPU, memory, disk and network rest on the latest sample. They count fully until it is ${STALENESS[0]?.[0]} seconds old and fade to nothing at ${STALENESS.at(-1)?.[0]} seconds. What was not reported counts 500: proof neither of health nor of illness, never left out.`,
    ),
    heading("levels", "Healthy, strained, critical"),
    text(
      `The console says the same words, in the same colours, of a score and of each component: ${HEALTH_LEVELS.map(({ name, from }) => `${name} from ${from} up`).join(", ")}. The API answers the numbers alone.`,
    ),
    heading("attention", "Needs attention"),
    text(
      `A component at zero costs at most ${Math.max(...Object.values(WEIGHTS)) * 10} points, so the score alone would call a machine with a full disk healthy. The console says that a server needs attention when its score is under ${WELL}, when a component is under ${STRAINED}, or when it had an outage of more than 2.5 minutes or an unexpected restart in the last 24 hours. \`/metrics\` says so too, as \`console_server_needs_attention\`. Offline servers are counted separately.`,
    ),
    heading("never-checked-in", "Before the first check-in"),
    text(
      `A server that has never checked in has a score of ${NOT_REPORTED}: nothing was reported, and everything not reported counts ${NOT_REPORTED}. That says nothing about the machine. The pages show “–” in its place; in \`/metrics\` the label \`checked_in="false"\` of \`console_server_info\` lets an alert leave it out.`,
    ),
  ];
}

function titled<Name extends string>(
  curves: Record<Name, TitledCurve["curve"]>,
  titles: Record<Name, Title>,
  isDeduction: boolean,
) {
  return (Object.keys(curves) as Name[]).map((name): TitledCurve => {
    const [title, unit, quantity] = titles[name];
    return { title, unit, quantity, curve: curves[name], top: 1000, isDeduction };
  });
}
