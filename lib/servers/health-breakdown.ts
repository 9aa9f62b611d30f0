import { counted } from "@/lib/format/quantities";
import { worstCause } from "@/lib/servers/advice";
import { type DayFacts, isRatedWell } from "@/lib/servers/health-level";
import {
  type Cause,
  COMPONENTS,
  type Component,
  FULL,
  type Health,
  LABELS,
  type Score,
  WEIGHTS,
} from "@/lib/servers/health-score";

/** What one component costs the score. */
export type ComponentLoss = {
  component: Component;
  name: string;
  /** Of the component, 0 to 1000. */
  points: number;
  /** Points of the score that the component can give, and how many of them are lost. Both are integers. */
  possible: number;
  lost: number;
  /** For example "72.5 % busy (full score up to 60 %)"; none for a component at full score. */
  causes: readonly Cause[];
};

/** Why a score is what it is, the worst first. The points lost add up to what the score lacks of 1000. */
export function explainHealth({ score, components, causes }: Omit<Health, "notes">): ComponentLoss[] {
  const exact = COMPONENTS.map((component) => (WEIGHTS[component] * (1000 - components[component])) / 100);
  const lost = shareOut(exact, 1000 - score);
  return COMPONENTS.map((component, index) => ({
    component,
    name: LABELS[component],
    points: components[component],
    possible: WEIGHTS[component] * 10,
    lost: lost[index] ?? 0,
    causes: causes[component],
  })).sort((a, b) => b.lost - a.lost || a.points - b.points);
}

/** The largest cause in a few words, for example "CPU: 72.5 % busy"; null for a server at full score. */
export function mainCause(health: Omit<Health, "notes">): string | null {
  const [worst] = explainHealth(health);
  const cause = worst && worstCause(worst.causes);
  if (!worst || worst.lost === 0 || !cause) return null;
  return `${worst.name}: ${withoutDay(withoutLimit(cause.text))}`;
}

/** Which component costs the score most. */
export function worstComponent({ components }: Pick<Score, "components">): Component {
  const lost = (component: Component) => WEIGHTS[component] * (FULL - components[component]);
  return COMPONENTS.reduce((worst, component) => (lost(component) > lost(worst) ? component : worst));
}

/**
 * "Offline 2 times, 3 restarts" of the last 24 hours, or without these "2 processes killed for lack of memory", for a server that
 * needs attention for them more than for anything else; null where something else says more.
 */
export function stabilityCause(health: Omit<Health, "notes">, { outages, reboots }: DayFacts): string | null {
  if (!(isRatedWell(health) || worstComponent(health) === "stability")) return null;
  const parts = [outages > 0 && `Offline ${counted(outages, "time")}`, reboots > 0 && counted(reboots, "restart")];
  const known = parts.filter(Boolean);
  if (known.length > 0) return known.join(", ");
  const cause = worstCause(health.causes.stability);
  return cause?.kind === "oomKills" ? withoutDay(cause.text) : null;
}

/** The score looks back on a day, as everything about stability does: a list need not say it. */
const withoutDay = (cause: string) => cause.replace(/ in 24 hours$/, "");

/** Removes the brackets: "72.5 % busy (full score up to 60 %)" becomes "72.5 % busy". */
function withoutLimit(cause: string): string {
  return cause.replace(/ \([^)]*\)$/, "");
}

/** Whole numbers that add up to `total`, each as close to its part as that allows. */
function shareOut(parts: readonly number[], total: number): number[] {
  const shares = parts.map(Math.floor);
  const missing = total - shares.reduce((sum, share) => sum + share, 0);
  const byRemainder = parts
    .map((part, index) => ({ index, rest: part - Math.floor(part) }))
    .sort((a, b) => b.rest - a.rest);
  for (const { index } of byRemainder.slice(0, missing)) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}
