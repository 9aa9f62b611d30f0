"use client";

import type { ServerNames } from "@/lib/servers/names";
import styles from "./server-names-fields.module.css";

type Props = {
  values: ServerNames;
  /** What is wrong with one of the fields. */
  problem: { field: string; message: string } | null;
};

/** The label and the hostname of a server. */
export function ServerNamesFields({ values, problem }: Props) {
  return (
    <div className={styles.fields}>
      <NameField
        name="label"
        title="Label"
        hint="How you call it."
        placeholder="Web front"
        maxLength={128}
        value={values.label}
        problem={problem}
      />
      <NameField
        name="hostname"
        title="Hostname"
        hint="How it calls itself: what the command hostname -f answers there."
        placeholder="web-1.example.com"
        maxLength={253}
        value={values.hostname}
        problem={problem}
      />
    </div>
  );
}

type FieldProps = {
  name: string;
  title: string;
  hint: string;
  placeholder: string;
  maxLength: number;
  value: string;
  problem: Props["problem"];
};

function NameField({ name, title, hint, placeholder, maxLength, value, problem }: FieldProps) {
  const message = problem?.field === name ? problem.message : null;
  return (
    <div className={`field ${styles.field}`}>
      <label htmlFor={name}>{title}</label>
      <input
        // Resetting a form restores the initial value of its fields.
        key={value}
        id={name}
        name={name}
        className="input"
        defaultValue={value}
        placeholder={placeholder}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={maxLength}
        required
        aria-describedby={message ? `${name}-error ${name}-hint` : `${name}-hint`}
        {...(message && { "aria-invalid": true, autoFocus: true })}
      />
      <p id={`${name}-hint`} className="hint">
        {hint}
      </p>
      {message && (
        <p id={`${name}-error`} className="error" role="alert">
          {message}
        </p>
      )}
    </div>
  );
}
