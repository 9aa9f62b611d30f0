"use client";

import { useEffect } from "react";
import { isConsoleReady } from "@/app/ui/is-console-ready";
import { SECOND } from "@/lib/format/time";

/**
 * Loads a page anew that the browser kept whole and shows again after Back: its session may be over since, or another's.
 * While the console is away, the page stays.
 */
export function FreshAfterBack() {
  useEffect(() => {
    const ask = async ({ persisted }: PageTransitionEvent) => {
      if (persisted && (await isConsoleReady(8 * SECOND))) window.location.reload();
    };
    window.addEventListener("pageshow", ask);
    return () => window.removeEventListener("pageshow", ask);
  }, []);
  return null;
}
