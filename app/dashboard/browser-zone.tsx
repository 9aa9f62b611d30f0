"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { BROWSER_ZONE_COOKIE } from "@/lib/accounts/browser-zone";

const A_YEAR_IN_SECONDS = 365 * 24 * 3600;

/** Tells the console the zone of this browser, for an account that has chosen none. `shown` is the zone of the page. */
export function BrowserZone({ shown }: { shown: string }) {
  const router = useRouter();
  useEffect(() => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    const cookie = `${BROWSER_ZONE_COOKIE}=${timeZone}`;
    // A zone that the console does not know stays as it is told: the page is not asked for again.
    if (timeZone === shown || document.cookie.split("; ").includes(cookie)) return;
    // biome-ignore lint/suspicious/noDocumentCookie: `cookieStore` is missing in browsers of 2024
    document.cookie = `${cookie}; path=/; max-age=${A_YEAR_IN_SECONDS}; samesite=lax`;
    router.refresh();
  }, [shown, router]);
  return null;
}
