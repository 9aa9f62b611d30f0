import { Sparkline } from "@/app/ui/sparkline";
import { DAY, HOUR } from "@/lib/format/time";
import { HEALTH_LEVELS, type HealthLevel, shownLevel } from "@/lib/servers/health-level";
import type { TrendPoint } from "@/lib/servers/telemetry/history";

type Props = {
  points: readonly TrendPoint[];
  score: number;
  level: HealthLevel;
  /** A server may need attention though its score is healthy: from then on (epoch ms) it is not drawn as healthy. */
  unwellSince: number;
  now: number;
};

/** A score from here up to 1000 is healthy: a trend shows at least that much of the scale. */
const WELL = HEALTH_LEVELS[0].from;

/** How the score moved in the last day: each hour's mean, and the score of now at the end. */
export function Trend({ points, score, level, unwellSince, now }: Props) {
  const known = points.map(({ hour, score }) => [hour + HOUR / 2, score] as const);
  const scores = points.map((point) => Math.round(point.score));
  return (
    <>
      <Sparkline
        points={[...known, [now, score]]}
        from={now - 25 * HOUR}
        to={now}
        top={1000}
        most={WELL}
        levelOf={(value, at) => shownLevel(value, at >= unwellSince ? "attention" : "well")}
        gap={1.75 * HOUR}
        level={level}
      />
      <span className="visually-hidden">
        {scores.length === 0
          ? "No history yet"
          : `Hourly means from ${Math.min(...scores)} to ${Math.max(...scores)} in ${DAY / HOUR} hours`}
      </span>
    </>
  );
}
