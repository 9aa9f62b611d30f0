import styles from "./online-state.module.css";

/** Whether a server's daemon checked in within the last two minutes (contract 2.2). */
export function OnlineState({ isOnline }: { isOnline: boolean }) {
  return (
    <data className={styles.state} value={String(isOnline)} data-online={isOnline}>
      {isOnline ? "Online" : "Offline"}
    </data>
  );
}
