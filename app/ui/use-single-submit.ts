"use client";

import { useEffect, useRef } from "react";

/**
 * For the `onSubmit` of a form: lets one submission through at a time. The button stays focusable meanwhile, unlike a
 * disabled one, which would drop the focus to the top of the page.
 */
export function useSingleSubmit(isPending: boolean): (event: React.FormEvent) => void {
  const isSent = useRef(false);
  useEffect(() => {
    if (!isPending) isSent.current = false;
  }, [isPending]);
  return (event) => {
    if (isSent.current) event.preventDefault();
    isSent.current = true;
  };
}
