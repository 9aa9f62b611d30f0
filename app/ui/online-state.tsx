"use client";

import { useIsAway } from "./live";
import styles from "./online-state.module.css";

/**
 * Whether a server's daemon checked in within the last two minutes (contract 2.2), as far as the page knows: while the
 * console does not answer, it only knows what was so before.
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
