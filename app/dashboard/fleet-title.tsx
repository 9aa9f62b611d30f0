"use client";

import { useEffect } from "react";
import { fleetTitle, iconPath } from "./fleet-title-text";

/** Keeps the title and the icon of the tab true while the page refreshes itself. */
export function FleetTitle({ count }: { count: number }) {
  useEffect(() => {
    document.title = `${fleetTitle(count)} · Console`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"][type="image/svg+xml"]');
    const before = icon?.getAttribute("href");
    icon?.setAttribute("href", iconPath(count));
    return () => {
      if (before) icon?.setAttribute("href", before);
    };
  }, [count]);
  return null;
}
