import styles from "./lane.module.css";
import type { ChartSilence } from "./series";

/** A time, and what happened in it, where the lane has several kinds. */
export type LaneMark = ChartSilence & { kind?: string };

/** How the marks look. */
export type LaneKind = "outage" | "late";

type Props = {
  /** What the marks are of, beside the lane. */
  name: string;
  kind: LaneKind;
  from: number;
  to: number;
  marks: readonly LaneMark[];
};

/** What happened, and when: one lane of marks below the chart of the same times. A list beside it says the same in words. */
export function Lane({ name, kind, from, to, marks }: Props) {
  const share = (time: number) => `${(((time - from) / (to - from)) * 100).toFixed(2)}%`;
  return (
    <div className={styles.lane} aria-hidden="true">
      <span className={styles.name}>{name}</span>
      <svg className={styles.marks} data-lane={marks.length} data-kind={kind} aria-hidden="true">
        {marks.map((mark) => {
          const start = Math.max(from, mark.from);
          // Never so narrow that it cannot be seen.
          const length = Math.max((to - from) / 250, Math.min(to, mark.to) - start);
          return (
            <rect key={mark.from} data-mark={mark.kind} x={share(start)} width={share(from + length)} height="100%" />
          );
        })}
      </svg>
    </div>
  );
}
