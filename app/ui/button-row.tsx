import styles from "./button-row.module.css";

/** The last row of a form or a panel: its buttons, and what is said beside them. */
export function ButtonRow({ children }: { children: React.ReactNode }) {
  return <div className={`row ${styles.row}`}>{children}</div>;
}

type SubmitProps = {
  className?: string | undefined;
  isPending: boolean;
  /** What it says while an answer is awaited. */
  pending: string;
  children: React.ReactNode;
};

/** Sends its form. While an answer is awaited, it ignores presses instead of being disabled, to keep the focus. */
export function SubmitButton({ className = "button", isPending, pending, children }: SubmitProps) {
  return (
    <button className={className} type="submit" aria-disabled={isPending}>
      {isPending ? pending : children}
    </button>
  );
}
