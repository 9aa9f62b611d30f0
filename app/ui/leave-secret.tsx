import { ButtonRow } from "./button-row";

/** Leads away from a secret that is shown once. */
export function LeaveSecret({ what, href, children }: { what: string; href: string; children: React.ReactNode }) {
  return (
    <ButtonRow>
      <a className="button quiet" href={href}>
        {children}
      </a>
      <span className="hint">After this the {what} is gone from the page.</span>
    </ButtonRow>
  );
}
