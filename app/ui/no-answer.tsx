"use client";

import { Notice } from "./notice";
import { type Failure, isOfGateway, type Refusal } from "./refusal";
import { loadAnew } from "./typed-text";

/** Said on a form that was sent and got no answer, or a refusal; `children` says what a second submission does. */
export function NoAnswer({
  failure,
  children = "Sending it again is safe.",
}: {
  failure: Failure;
  children?: React.ReactNode;
}) {
  return (
    <Notice tone="danger" on={failure}>
      {failure === null ? (
        <span>
          <strong>No answer came from the console.</strong> The connection failed, or the console is not available right
          now. {children}
        </span>
      ) : (
        <span>
          <FailureWords failure={failure} /> {isOfGateway(failure.status) && <span>{children}</span>}
        </span>
      )}
    </Notice>
  );
}

/** The words of a refusal, and what leads on from it. */
export function FailureWords({ failure: { title, text, status, link } }: { failure: Refusal }) {
  return (
    <span>
      {title && <strong>{title}</strong>} <span>{text}</span> {link && <a href={link.href}>{link.words}</a>}
      {status === 409 && (
        <button type="button" className="plain-button" onClick={loadAnew}>
          Load the page anew
        </button>
      )}
    </span>
  );
}
