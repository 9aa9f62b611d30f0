type Props = {
  /** The id of the control, which also names its hint and its error. */
  id: string;
  label: React.ReactNode;
  hint?: React.ReactNode;
  error?: string | null;
  className?: string | undefined;
  children: React.ReactNode;
};

/** A control under its label, with a hint and with what is wrong about it. */
export function Field({ id, label, hint, error = null, className = "", children }: Props) {
  return (
    <div className={`field ${className}`}>
      <label htmlFor={id}>{label}</label>
      {children}
      {hint && (
        <p id={`${id}-hint`} className="hint">
          {hint}
        </p>
      )}
      <FieldError id={`${id}-error`} message={error} />
    </div>
  );
}

/** What is wrong with a field, read out as soon as it is known. */
export function FieldError({ id, message }: { id: string; message: string | null }) {
  if (message === null) return null;
  return (
    <p id={id} className="error" role="alert">
      {message}
    </p>
  );
}

/**
 * The attributes that tie a control to its hint and its error. A wrong one is focused without JavaScript by
 * `autoFocus`, with it by its form.
 */
export function describedBy(id: string, error: string | null, hasHint = false) {
  const ids = [...(error === null ? [] : [`${id}-error`]), ...(hasHint ? [`${id}-hint`] : [])];
  return {
    ...(ids.length > 0 && { "aria-describedby": ids.join(" ") }),
    ...(error !== null && { "aria-invalid": true, autoFocus: true }),
  };
}
