"use client";

import { createContext, useContext } from "react";

type ShownOnce = {
  /** The result was shown and forgotten, so the values that the page was loaded with are stale. */
  isReset: boolean;
  /** Forgets the result and shows the form again. */
  reset: () => void;
};

/** What `shownOnce` gives to its form. It stands apart because every form asks, and few are shown once. */
export const ShownOnceContext = createContext<ShownOnce>({ isReset: false, reset: () => {} });

/** For the form and the result that `shownOnce` made. */
export function useShownOnce(): ShownOnce {
  return useContext(ShownOnceContext);
}
