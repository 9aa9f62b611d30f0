import { Notice } from "./notice";

/** Said on a form that was sent and got no answer; `children` says why it can be sent again. */
export function NoAnswer({ children }: { children: React.ReactNode }) {
  return (
    <Notice tone="danger" role="alert">
      <strong>No answer came from the console.</strong> The connection failed, or the console is not available right
      now. {children}
    </Notice>
  );
}
