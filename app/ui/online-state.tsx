"use client";

import { useIsAway } from "./live";
import styles from "./online-state.module.css";

/**
 * Shows whether a server's daemon checked in within the last two minutes (contract 2.2). While the console does not
 * answer, the page only knows the last state. `needsAttention` says so in its place, of a server that is online; `isUnknown`
 * of a silent one of which the console cannot tell whether it is up.
 */
export function OnlineState({ isOnline, needsAttention = false, isUnknown = false }: Props) {
  const isAway = useIsAway();
  const state = isOnline ? (needsAttention ? "attention" : "online") : isUnknown ? "unknown" : "offline";
  return (
    <data className={styles.state} value={String(isOnline)} data-state={isAway ? "unknown" : state}>
      {isAway && state !== "unknown" ? (isOnline ? "Was online" : "Was offline") : WORDS[state]}
    </data>
  );
}

type Props = { isOnline: boolean; needsAttention?: boolean; isUnknown?: boolean };

const WORDS = { online: "Online", attention: "Needs attention", unknown: "Not known", offline: "Offline" } as const;
