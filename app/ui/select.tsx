type Props = Omit<React.ComponentProps<"select">, "className" | "children"> & {
  id: string;
  options: readonly (readonly [value: string, label: string])[];
};

/** A choice of one. */
export function Select({ options, ...rest }: Props) {
  return (
    <span className="select">
      <select className="input" {...rest}>
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </span>
  );
}
