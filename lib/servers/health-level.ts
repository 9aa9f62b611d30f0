// The one rule of words and colours for scores, their components, bars, trends and the zones of charts.

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
