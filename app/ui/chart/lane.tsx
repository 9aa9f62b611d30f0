import type { TimeRange } from "@/lib/format/time-range";
import styles from "./chart.module.css";

/** A time, and what happened in it, where the lane has several kinds. With words, it can be chosen and read. */
export type LaneMark = TimeRange & { kind?: string; tone?: LaneTone; words?: { sign: string; text: string } };
/** How much a mark stands out: "good" is that of most. */
export type LaneTone = "good" | "soft" | "warning" | "danger" | undefined;

type Props = TimeRange & {
  /** The title of the marks, beside the lane. */
  name: string;
  marks: readonly LaneMark[];
};

/**
 * What happened, and when: one lane of marks below the chart of the same times. Marks with words are the choices of one group,
 * so that the Tab key stops once, the arrow keys lead from mark to mark, and neither needs a script.
 */
export function Lane({ name, from, to, marks }: Props) {
  const share = (time: number) => `${(((time - from) / (to - from)) * 100).toFixed(2)}%`;
  // Never so narrow that it cannot be seen.
  const least = (to - from) / 250;
  const rect = (mark: LaneMark) => {
    const start = Math.max(from, mark.from);
    const length = Math.max(least, Math.min(to, mark.to) - start);
    return (
      <rect
        key={`${mark.kind}${mark.from}`}
        data-mark={mark.kind}
        className={mark.tone}
        x={share(start)}
        width={share(from + length)}
        height="100%"
      />
    );
  };
  const told = marks.filter(({ words }) => words);
  const silent = joined(
    marks.filter(({ words }) => !words),
    least,
  );
  return (
    <fieldset className={styles.lane} aria-label={name} aria-hidden={told.length === 0 || undefined}>
      <span className={styles.name} aria-hidden="true">
        {name}
      </span>
      <div className={styles.marks} data-lane={marks.length}>
        <svg className={styles.layer} aria-hidden="true">
          {silent.map(rect)}
        </svg>
        {told.map((mark) => (
          <label key={`${mark.kind}${mark.from}${mark.words?.text}`} className={styles.mark}>
            {/* Its words are shown only while it is chosen; hidden text cannot name a control. */}
            <input
              type="radio"
              name={`lane-${name.toLowerCase()}`}
              aria-label={mark.words?.text}
              className="visually-hidden"
            />
            <svg className={styles.layer} aria-hidden="true">
              {rect(mark)}
            </svg>
            <span className={`breaks ${styles.words}`} aria-hidden="true">
              {mark.words?.sign} <bdi>{mark.words?.text}</bdi>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Marks of one kind that would cover each other are one: a server may have ten thousand events. */
function joined(marks: readonly LaneMark[], least: number): LaneMark[] {
  const drawn: LaneMark[] = [];
  for (const mark of marks) {
    const before = drawn.findLast(({ kind }) => kind === mark.kind);
    if (before && mark.from < Math.max(before.to, before.from + least)) before.to = Math.max(before.to, mark.to);
    else drawn.push({ ...mark });
  }
  return drawn;
}
