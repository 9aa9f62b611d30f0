"use client";

import { usePathname } from "next/navigation";
import { Link } from "@/app/ui/link";
import { API_REFERENCE, DASHBOARD, EDGE_NODES, GAME_SERVICES, TOKEN_PAGE } from "@/lib/page-paths";
import styles from "./main-navigation.module.css";

/** Where one can go, and the paths that belong to each place. */
const PLACES = [
  { label: "Servers", href: DASHBOARD, within: `${DASHBOARD}/servers/` },
  { label: "Game services", href: GAME_SERVICES, within: `${GAME_SERVICES}/` },
  { label: "API tokens", href: TOKEN_PAGE, within: `${TOKEN_PAGE}/` },
  { label: "Docs", href: API_REFERENCE, within: `${API_REFERENCE}/` },
] as const;

const OF_ADMINS = { label: "Edge nodes", href: EDGE_NODES, within: `${EDGE_NODES}/` };

/** The main navigation. Marks the current page visually and for screen readers. */
export function MainNavigation({ isAdmin = false }: { isAdmin?: boolean }) {
  const path = usePathname();
  return (
    <nav className={styles.nav} aria-label="Main">
      {[...PLACES, ...(isAdmin ? [OF_ADMINS] : [])].map(({ label, href, within }) => {
        const isHere = path === href || path.startsWith(within);
        return (
          <Link
            key={href}
            className={`control nowrap soft text-md medium ${styles.place}`}
            href={href}
            aria-current={isHere ? (path === href ? "page" : "true") : undefined}
          >
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
