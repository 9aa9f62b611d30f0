"use client";

import { CodeBlock } from "@/app/ui/code-block";
import { FocusTarget } from "@/app/ui/focus-target";
import { Time } from "@/app/ui/time";
import { installLines } from "./install-lines";
import styles from "./new-key.module.css";
import { useFirstCheckIn } from "./use-first-check-in";

type Props = {
  title: string;
  serverId: number;
  rawKey: string;
  origin: string;
  /** The daemon is there already and only needs the new key. */
  isReplacement: boolean;
  children?: React.ReactNode;
};

/** A server key, shown this once, what to do with it, and the first check-in with it as soon as it has come. */
export function NewKey({ title, serverId, rawKey, origin, isReplacement, children }: Props) {
  return (
    <section className={`card ${styles.panel}`} aria-labelledby="new-key">
      <FocusTarget as="h2" id="new-key">
        {title}
      </FocusTarget>
      <p className="soft">
        The key is shown this once: only its hash is stored. It lets the server&apos;s daemon report its own health, and
        read nothing.{" "}
        {isReplacement && "The key before works for one more hour, so nothing is missed while you change it."}
      </p>
      <CodeBlock label="Server key" text={rawKey} />
      <p>
        {isReplacement
          ? "Paste these two lines into a terminal of the server. The second asks for the key."
          : "Paste these two lines into a terminal of the new server. The second asks for the key, installs a small daemon that checks in every 30 seconds, and says what it does."}
      </p>
      <CodeBlock label="In a terminal of the server" text={installLines(origin)} />
      <FirstCheckIn serverId={serverId} />
      {children}
    </section>
  );
}

function FirstCheckIn({ serverId }: { serverId: number }) {
  const first = useFirstCheckIn(serverId);
  return (
    <p className={styles.waiting} role="status" data-seen={first !== null}>
      <span className={styles.dot} aria-hidden="true" />
      {first ? (
        <span>
          First check-in received: <Time at={new Date(first.at)} now={new Date(first.now)} />
          {first.ip && `, from ${first.ip}`}
        </span>
      ) : (
        <span>
          <span className={styles.live}>Waiting for the first check-in</span>
          <noscript>The server&apos;s page shows its first check-in</noscript>
        </span>
      )}
    </p>
  );
}
