import { Choices } from "@/app/ui/choices";
import { ClockFields } from "@/app/ui/clock-fields";
import { FieldError } from "@/app/ui/field";
import { Section } from "@/app/ui/section";
import {
  type AskedRange,
  COMPARISON_NAMES,
  type Comparison,
  clockField,
  type TimeRange,
} from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";
import type { AskedTime } from "./asked-time";
import styles from "./timed-section.module.css";

type Props = {
  id: string;
  title: string;
  /** The fixed ranges, each with its name: "24 hours". */
  ranges: Readonly<Record<string, string>>;
  /** The fixed range that is shown; null: any other time is. */
  range: string | null;
  /** The path of the page, and what else its links and its form keep of the URL. */
  path: string;
  kept: Readonly<Record<string, string>>;
  /** What the fields show of a fixed range. */
  shown: TimeRange;
  time: AskedTime<string>;
  zone: string;
  /** What is worth knowing of a time that was asked for. */
  also: readonly string[];
  children: React.ReactNode;
};

/** Begins the ids of the fields, and that of the sentence that says why a time is not shown. */
const ID = "time";

/** A part of a page with charts of one time: a fixed range, or any by two fields, and what it is compared with. */
export function TimedSection({ ranges, range, also, children, ...rest }: Props) {
  const { id, title, path, kept, time } = rest;
  const { compare: _, ...alone } = time.params;
  const href = (params: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({ ...kept, ...params });
    return query.size > 0 ? `${path}?${query}` : path;
  };
  return (
    <Section
      id={id}
      title={title}
      aside={
        <Choices
          label="Time shown"
          choices={Object.entries(ranges).map(([one, name]) => ({
            href: href({ range: one, ...(time.compare && { compare: time.compare }) }),
            name,
            isCurrent: one === range,
          }))}
        />
      }
    >
      <div className="row near spread">
        <AnyTime {...rest} />
        {/* Sets the same length of time, some days earlier, beside the time shown. */}
        <div className={`row dense soft text-md ${styles.compare}`} data-navigation>
          <span aria-hidden="true">Compare with</span>
          <Choices
            label="Compare with"
            choices={[null, ...COMPARISON_NAMES].map((name) => ({
              href: href({ ...alone, ...(name && { compare: name }) }),
              name: name === null ? "nothing" : COMPARED[name],
              isCurrent: name === time.compare,
            }))}
          />
        </div>
      </div>
      <TimeNotes asked={time.asked} instead={range && ranges[range]} also={also} />
      {children}
    </Section>
  );
}

type AnyTimeProps = Pick<Props, "id" | "path" | "kept" | "shown" | "time" | "zone">;

function AnyTime({ id, path, kept, shown, time: { asked, compare, params }, zone }: AnyTimeProps) {
  const isRefused = asked.kind === "refused";
  const { from, to } = asked.kind === "range" ? asked.range : shown;
  const fields = isRefused ? asked.fields : { from: clockField(from, zone), to: clockField(to, zone) };
  return (
    <form
      className={`row near ${styles.form}`}
      action={`${path}#${id}`}
      aria-label="Any time"
      // What was typed belongs to the time that was shown then.
      key={Object.values(params).join(" ")}
    >
      {Object.entries({ ...kept, ...(compare && { compare }) }).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <ClockFields
        id={ID}
        values={fields}
        error={isRefused ? asked.message : null}
        className={`control small soft ${styles.field}`}
      />
      <span className="hint">{zoneText(zone)}</span>
      <button type="submit" className="button quiet small">
        Show
      </button>
    </form>
  );
}

const COMPARED: Readonly<Record<Comparison, string>> = {
  "1d": "a day before",
  "7d": "a week before",
  "28d": "28 days before",
};

/** How the page calls the time of the pale lines. */
export function comparedText(compare: Comparison | null): string | undefined {
  return compare === null ? undefined : COMPARED[compare];
}

/** What the pale lines of the charts are. */
export function paleLinesText(compare: Comparison | null, earlier: { points: readonly unknown[] } | null): string {
  if (compare === null) return "";
  return `Pale lines are the means ${COMPARED[compare]}${earlier?.points.length ? "" : ", of which there is no data"}. `;
}

/** How a time is chosen in a chart, for those whose browser runs scripts. */
export function DragHint() {
  return (
    <span className={styles.drag}>
      Drag over a chart to look closer, or mark a time with Space and press Enter at another.{" "}
    </span>
  );
}

type NotesProps = Pick<Props, "also"> & {
  asked: AskedRange;
  /** The fixed range that is shown where what was asked for is refused: "24 hours". */
  instead: string | null | undefined;
};

/** What is worth knowing of the time that was asked for, or why it is not shown. */
function TimeNotes({ asked, instead, also }: NotesProps) {
  if (asked.kind === "refused") {
    const message = `${asked.message} Shown instead: the last ${instead?.replace(/^1 /, "")}.`;
    return <FieldError id={`${ID}-error`} message={message} />;
  }
  const notes = asked.kind === "range" ? [...asked.notes, ...also] : [];
  return notes.length > 0 && <p className="notice">{notes.join(" ")}</p>;
}
