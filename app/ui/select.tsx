import { describedBy, Field } from "./field";

type Props = React.ComponentProps<"select"> & {
  id: string;
  label: string;
  error?: string | null;
  /** Of the field. */
  className?: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
};

/** A choice of one. */
export function Select({ id, label, error = null, className, options, ...rest }: Props) {
  return (
    <Field {...{ id, label, error, className }}>
      <span className="select">
        {/* Resetting the form restores the choice that the field began with. */}
        <select key={String(rest.defaultValue)} id={id} className="input" {...rest} {...describedBy(id, error)}>
          {options.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </span>
    </Field>
  );
}
