import { LAST_CLOCK_FIELD } from "@/lib/format/time-range";
import { describedBy } from "./field";

type Props = {
  /** Begins the ids of the fields. */
  id: string;
  values: { from: string; to: string };
  /** Why these times are refused. The sentence itself stands below, under the id that `FieldError` has. */
  error: string | null;
  className?: string | undefined;
};

/** From when to when. */
export function ClockFields({ id, values, error, className }: Props) {
  return (["from", "to"] as const).map((name) => (
    <span key={name} className={className}>
      <label htmlFor={`${id}-${name}`}>{name === "from" ? "From" : "to"}</label>{" "}
      <input
        id={`${id}-${name}`}
        className="input"
        type="datetime-local"
        name={name}
        max={LAST_CLOCK_FIELD}
        defaultValue={values[name]}
        required
        {...(error !== null && { ...describedBy(id, error), autoFocus: name === "from" })}
      />
    </span>
  ));
}
