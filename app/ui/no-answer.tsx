import { Notice } from "./notice";

/** Said on a form that was sent and got no answer; `children` says what a second submission does. */
export function NoAnswer({ children = "Sending it again is safe." }: { children?: React.ReactNode }) {
  return (
    <Notice tone="danger">
      <strong>No answer came from the console.</strong> The connection failed, or the console is not available right
      now. {children}
    </Notice>
  );
}
