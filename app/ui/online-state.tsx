"use client";

import { useIsAway } from "./live";
import styles from "./online-state.module.css";

/**
 * Shows whether a server's daemon checked in within the last two minutes (contract 2.2). While the console does not
 * answer, the page only knows the last state.
 */
export function OnlineState({ isOnline }: { isOnline: boolean }) {
  const isAway = useIsAway();
  return (
    <data
      className={styles.state}
      value={String(isOnline)}
      data-state={isAway ? "unknown" : isOnline ? "online" : "offline"}
    >
      {isAway ? (isOnline ? "Was online" : "Was offline") : isOnline ? "Online" : "Offline"}
    </data>
  );
}
