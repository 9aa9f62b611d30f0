import { ClockFields } from "@/app/ui/clock-fields";
import { FieldError } from "@/app/ui/field";

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
      <div className="row tight">
        <ClockFields id={ID} values={values} error={error} />
        <span className="hint">{zone}</span>
      </div>
      <FieldError id={`${ID}-error`} message={error} />
    </>
  );
}
