"use client";

import { usePathname, useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { SECOND } from "@/lib/format/time";
import { followedLink } from "./followed-link";
import styles from "./navigation-progress.module.css";

/** In milliseconds. A faster navigation needs no progress line. */
const SHOWN_AFTER = 150;
/** By then the page has arrived, or the browser shows its own error. */
const SHOWN_FOR = 30 * SECOND;

/** A line at the top of the page while another page is awaited. */
export function NavigationProgress() {
  const place = `${usePathname()}?${useSearchParams()}`;
  const [from, setFrom] = useState<string | null>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const stop = () => {
      clearTimeout(timer);
      setFrom(null);
    };
    const start = (event: MouseEvent) => {
      const link = followedLink(event);
      if (!link || !leadsElsewhere(link)) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        setFrom(place);
        timer = setTimeout(stop, SHOWN_FOR);
      }, SHOWN_AFTER);
    };
    document.addEventListener("click", start);
    window.addEventListener("pageshow", stop);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("click", start);
      window.removeEventListener("pageshow", stop);
    };
  }, [place]);

  // The awaited page has arrived, so hide the line.
  if (from !== place) return null;
  return <div className={styles.progress} role="progressbar" aria-label="Loading the page" />;
}

function leadsElsewhere(link: HTMLAnchorElement): boolean {
  const url = new URL(link.href);
  const isHere = url.pathname === window.location.pathname && url.search === window.location.search;
  const isOwn = url.origin === window.location.origin;
  return isOwn && !isHere && !link.hasAttribute("download");
}
