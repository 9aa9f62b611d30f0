import type { HealthLevel } from "@/lib/servers/health-level";
import styles from "./value-strip.module.css";

export type StripValue = {
  name: string;
  value: React.ReactNode;
  /** Below the value: of what, since when. */
  detail?: React.ReactNode;
  level?: HealthLevel | undefined;
};

type Props = {
  values: readonly StripValue[];
  /** All values but the first are from the last report, and may have changed since. */
  isPast?: boolean;
};

/** The few numbers of a page that are looked at first, in one strip. */
export function ValueStrip({ values, isPast = false }: Props) {
  return (
    <dl className={`card inset ${styles.strip}`} data-past={isPast}>
      {values.map(({ name, value, detail, level }) => (
        <div key={name} data-level={level}>
          <dt className="text-sm">{name}</dt>
          <dd>
            <span translate="no">{value}</span> {detail && <small className="hint block">{detail}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
