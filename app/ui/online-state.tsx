"use client";

import { useIsAway } from "./live";
import styles from "./online-state.module.css";

/**
 * Shows whether a server's daemon checked in within the last two minutes (contract 2.2). While the console does not
 * answer, the page only knows the last state. `needsAttention` says so in its place, of a server that is online.
 */
export function OnlineState({ isOnline, needsAttention = false }: Props) {
  const isAway = useIsAway();
  const state = isOnline ? (needsAttention ? "attention" : "online") : "offline";
  return (
    <data
      className={`${styles.state} ${isAway ? "soft" : ""}`}
      value={String(isOnline)}
      data-state={isAway ? "unknown" : state}
    >
      {isAway ? (isOnline ? "Was online" : "Was offline") : WORDS[state]}
    </data>
  );
}

type Props = { isOnline: boolean; needsAttention?: boolean };

const WORDS = { online: "Online", attention: "Needs attention", offline: "Offline" } as const;
