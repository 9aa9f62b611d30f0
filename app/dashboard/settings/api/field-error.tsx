/** What is wrong with a field, beside it and read out as soon as it is known. */
export function FieldError({ id, message }: { id: string; message: string | null }) {
  if (message === null) return null;
  return (
    <p id={id} className="error" role="alert">
      {message}
    </p>
  );
}

/** Marks the field to look at. It is focused with JavaScript by an effect of the form, without it by the attribute. */
export function invalid(message: string | null, describedBy: string) {
  return message === null ? {} : { "aria-invalid": true, "aria-describedby": describedBy, autoFocus: true };
}
