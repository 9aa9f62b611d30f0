import { describedBy, FieldError } from "@/app/ui/field";
import { LAST_CLOCK_FIELD } from "@/lib/format/time-range";
import styles from "./maintenance-times.module.css";

const ID = "maintenance-time";

type Props = {
  zone: string;
  /** What the fields show. */
  values: { from: string; to: string };
  error: string | null;
};

/** The fields of a form that say when maintenance is. `zone`: as people read it. */
export function MaintenanceTimes({ zone, values, error }: Props) {
  return (
    <>
      <div className={`row tight ${styles.times}`}>
        {(["from", "to"] as const).map((name) => (
          <span key={name}>
            <label htmlFor={`${ID}-${name}`}>{name === "from" ? "From" : "to"}</label>{" "}
            <input
              id={`${ID}-${name}`}
              className="input"
              type="datetime-local"
              name={name}
              max={LAST_CLOCK_FIELD}
              defaultValue={values[name]}
              required
              {...(error !== null && { ...describedBy(ID, error), autoFocus: name === "from" })}
            />
          </span>
        ))}
        <span className="hint">{zone}</span>
      </div>
      <FieldError id={`${ID}-error`} message={error} />
    </>
  );
}
