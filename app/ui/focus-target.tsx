"use client";

import { useEffect, useRef } from "react";

type Props = {
  as: "h1" | "h2" | "div";
  id?: string;
  className?: string;
  role?: "status" | "alert";
  /** Takes the focus again whenever this is another value. */
  on?: unknown;
  children: React.ReactNode;
};

/**
 * Text that takes the focus as soon as it is on the page: the next step begins here, so a screen reader reads it and
 * the Tab key goes on from it. The attribute does the same without JavaScript.
 */
export function FocusTarget({ as: Tag, on, children, ...rest }: Props) {
  const target = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new value of `on` is what it is for
  useEffect(() => target.current?.focus({ preventScroll: isSticky(target.current) }), [on]);
  return (
    <Tag ref={target as React.RefObject<never>} tabIndex={-1} autoFocus {...rest}>
      {children}
    </Tag>
  );
}

/** Sticky elements stay visible, so scrolling to them would only move the reader away. */
function isSticky(element: Element): boolean {
  return getComputedStyle(element).position === "sticky";
}
