import type { Score } from "@/lib/servers/health-score";

// The rules of words and colours for scores, their components, bars, trends and the zones of charts; and of who needs somebody.

/** Each level reaches from its lowest score up to the one before it; the best first. */
export const HEALTH_LEVELS = [
  { name: "healthy", from: 800 },
  { name: "strained", from: 500 },
  { name: "critical", from: 0 },
] as const;
export type HealthLevel = (typeof HEALTH_LEVELS)[number]["name"];

/** How well a score or one of its components is, 0 to 1000. */
export function levelOf(score: number): HealthLevel {
  return HEALTH_LEVELS.find(({ from }) => score >= from)?.name ?? "critical";
}

/** What a server needs, the most urgent first. */
export const NEEDS = ["offline", "attention", "well", "never"] as const;
export type Need = (typeof NEEDS)[number];

/** What happened in the last 24 hours: outages and restarts. */
export type DayFacts = { outages: number; reboots: number };

/** What decides what a server needs. */
export type NeedFacts = Score & {
  hasCheckedIn: boolean;
  online: boolean;
  day: DayFacts;
};

/**
 * What a server needs. A component at zero costs at most 200 points, and outages or restarts less, so the score alone would
 * call such a server healthy.
 */
export function needOf({ hasCheckedIn, online, score, components, day }: NeedFacts): Need {
  if (!hasCheckedIn) return "never";
  if (!online) return "offline";
  const isStable = day.outages === 0 && day.reboots === 0;
  return isStable && isRatedWell({ score, components }) ? "well" : "attention";
}

/** Whether the score is healthy and no component critical. */
export function isRatedWell({ score, components }: Score): boolean {
  return levelOf(score) === "healthy" && levelOf(Math.min(...Object.values(components))) !== "critical";
}

/** The level of a score as a page colours it: of a server that needs attention it is never the best. */
export function shownLevel(score: number, need: Need): HealthLevel {
  const level = levelOf(score);
  return level === "healthy" && need === "attention" ? "strained" : level;
}
