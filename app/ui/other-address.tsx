"use client";

import { usePathname } from "next/navigation";
import { Notice } from "./notice";
import { useScripts } from "./use-scripts";

type Props = {
  baseUrl: string;
  /** The request came for another host: without scripts the page asks people to compare, because a proxy may change it. */
  isOtherHost: boolean;
};

/** Says that a page was opened at another address than the console's own, where forms may be refused, and links there. */
export function OtherAddress({ baseUrl, isOtherHost }: Props) {
  const path = usePathname();
  // Only the browser knows where it is.
  const here = useScripts() ? window.location.origin : null;
  const link = <a href={baseUrl + path}>{baseUrl}</a>;
  if (here === null) {
    return (
      isOtherHost && (
        <noscript>
          <Notice tone="warning" isQuiet>
            This console is at {link}. If your browser shows another address, open it there: forms may be refused here.
          </Notice>
        </noscript>
      )
    );
  }
  return (
    here !== baseUrl && (
      <Notice tone="warning" isQuiet>
        You opened this page at {here}, and this console is at {link}. Open it there: forms may be refused here.
      </Notice>
    )
  );
}
