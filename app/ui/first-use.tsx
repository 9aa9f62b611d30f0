"use client";

import { useEffect, useRef } from "react";
import styles from "./first-use.module.css";
import { From } from "./ip";
import { Time } from "./time";
import { useFirstUse } from "./use-first-use";

type Props = {
  /** Answers with the first use, or null. */
  path: string;
  /** What is waited for: "request", "check-in". */
  what: string;
  /** Says where the first use is shown later, when this page no longer waits. */
  later: string;
  /** Called once there was one, for the rest of the page to say so as well. */
  onSeen?: () => void;
};

/** Waits for the first use of the token or key beside it, and says when it came, and from where. */
export function FirstUse({ path, what, later, onSeen }: Props) {
  const watch = useFirstUse(path);
  const tell = useRef(onSeen);
  const isSeen = typeof watch === "object" && watch !== null;
  useEffect(() => {
    if (isSeen) tell.current?.();
  }, [isSeen]);
  return (
    <p className="line" role="status" data-seen={isSeen} data-over={typeof watch === "string"}>
      <span className={styles.dot} aria-hidden="true" />
      <span>
        {isSeen ? (
          <>
            First {what} received: <Time at={new Date(watch.at)} now={new Date(watch.now)} />
            {watch.ip && ","}
            <From ip={watch.ip} />
          </>
        ) : watch === "over" ? (
          `No ${what} so far. ${later}`
        ) : (
          <>
            <span className="with-script">
              Waiting for the first {what}
              {watch === "cut-off" && ". The console does not answer at the moment; this page goes on asking."}
            </span>
            <noscript>{later}</noscript>
          </>
        )}
      </span>
    </p>
  );
}
