import { Sparkline } from "@/app/ui/sparkline";
import { levelOf } from "@/lib/servers/health-level";
import type { TrendPoint } from "@/lib/servers/telemetry/history";
import { DAY, HOUR } from "@/lib/time";

type Props = { points: readonly TrendPoint[]; score: number; now: number };

/** How the score moved in the last day: each hour's mean, and the score of now at the end. */
export function Trend({ points, score, now }: Props) {
  const known = points.map(({ hour, score }) => [hour + HOUR / 2, score] as const);
  const scores = points.map((point) => Math.round(point.score));
  return (
    <>
      <Sparkline
        points={[...known, [now, score]]}
        from={now - 25 * HOUR}
        to={now}
        top={1000}
        // Up to two hours lie between the last mean and now: the current hour, and one whose sums may not exist yet.
        gap={2.75 * HOUR}
        level={levelOf(score)}
      />
      <span className="visually-hidden">
        {scores.length === 0
          ? "No history yet"
          : `Hourly means from ${Math.min(...scores)} to ${Math.max(...scores)} in ${DAY / HOUR} hours`}
      </span>
    </>
  );
}
