"use client";

import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";
import { Link } from "@/app/ui/link";
import { StrongName } from "@/app/ui/name";
import { ACCOUNT_PAGE, NOTICE_PAGE } from "@/lib/page-paths";
import styles from "./account-menu.module.css";
import { SignOut } from "./sign-out";

type Props = { name: string; email: string; role: string };

/** The account menu. It opens without JavaScript; only closing by itself needs JavaScript. */
export function AccountMenu({ name, email, role }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  const path = usePathname();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes the menu
  useEffect(() => {
    if (menu.current) menu.current.open = false;
  }, [path]);

  useEffect(() => {
    const close = (event: Event) => {
      const { current } = menu;
      if (!current?.open) return;
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      const isOutside = event.type === "pointerdown" && !current.contains(event.target as Node);
      if (!isEscape && !isOutside) return;
      current.open = false;
      if (isEscape) current.querySelector("summary")?.focus();
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", close);
    };
  }, []);

  return (
    <details ref={menu} className="menu push" data-navigation>
      <summary className={`control soft text-md arrow ${styles.summary}`}>
        <span className={styles.initial} aria-hidden="true">
          {[...name][0]?.toUpperCase()}
        </span>
        <span className="visually-hidden">Account of </span>
        <span className={`cut ${styles.email}`} translate="no">
          {email}
        </span>
      </summary>
      <div className={`card ${styles.panel}`}>
        <p className={`text-md breaks ${styles.who}`}>
          <StrongName>{name}</StrongName>
          <span className="soft" translate="no">
            {email}
          </span>
          <span className="soft">{role}</span>
        </p>
        <Link className="control small" href={ACCOUNT_PAGE}>
          Account and sessions
        </Link>
        <Link className="control small" href={NOTICE_PAGE}>
          Notices
        </Link>
        <SignOut />
      </div>
    </details>
  );
}
