"use client";

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { clockText } from "@/lib/relative-time";
import { SECOND } from "@/lib/time";
import styles from "./live.module.css";
import { useTimeZone } from "./time-zone";

const RENEWED_EVERY = 20 * SECOND;
/** A console that says nothing for this long counts as away. */
const ANSWER_TIMEOUT = 8 * SECOND;

const Away = createContext(false);

/** Whether the console does not answer, so that what the page shows is out of date. */
export function useIsAway(): boolean {
  return useContext(Away);
}

type Props = {
  /** Answers with what stands in place of `children` now. */
  load: () => Promise<React.ReactNode>;
  children: React.ReactNode;
};

/**
 * Keeps a part of a page up to date while it is looked at. A renewal that fails leaves what is there and says so: unlike
 * a refresh by the router, which would load the whole page anew and lose it where the console is away.
 */
export function Live({ load, children }: Props) {
  const [renewed, setRenewed] = useState<{ of: React.ReactNode; content: React.ReactNode } | null>(null);
  const [failedAt, setFailedAt] = useState<Date | null>(null);
  const zone = useTimeZone();
  const isAsking = useRef(false);
  const renewedAt = useRef(0);

  useEffect(() => {
    let isOver = false;
    renewedAt.current = Date.now();

    async function renew() {
      if (isAsking.current || document.visibilityState !== "visible") return;
      isAsking.current = true;
      // At most one renewal runs at a time, also while one never ends.
      const asked = askFor(load).finally(() => {
        isAsking.current = false;
      });
      try {
        const content = await within(ANSWER_TIMEOUT, asked);
        if (isOver) return;
        renewedAt.current = Date.now();
        setRenewed({ of: children, content });
        setFailedAt(null);
      } catch {
        if (!isOver) setFailedAt((before) => before ?? new Date(renewedAt.current));
      }
    }

    const timer = setInterval(renew, RENEWED_EVERY);
    const renewIfOld = () => {
      if (Date.now() - renewedAt.current > RENEWED_EVERY) renew();
    };
    document.addEventListener("visibilitychange", renewIfOld);
    window.addEventListener("online", renew);
    return () => {
      isOver = true;
      clearInterval(timer);
      document.removeEventListener("visibilitychange", renewIfOld);
      window.removeEventListener("online", renew);
    };
  }, [load, children]);

  return (
    <>
      {/* A page that the router has loaded since is newer. */}
      <Away value={failedAt !== null}>{renewed && renewed.of === children ? renewed.content : children}</Away>
      <p role="status" className={failedAt ? styles.failed : "visually-hidden"}>
        {failedAt && (
          <>
            Not updated since {clockText(failedAt, zone)}: the console does not answer. It is asked again every few
            seconds; what you see stays as it was.
          </>
        )}
      </p>
    </>
  );
}

/** Asks first in a way that can be given up: a server action cannot, and those that follow wait for it. */
async function askFor(load: Props["load"]): Promise<React.ReactNode> {
  const response = await fetch("/readyz", { cache: "no-store", signal: AbortSignal.timeout(ANSWER_TIMEOUT) });
  if (!response.ok) throw new Error("The console is not ready.");
  return load();
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("No answer in time.")), ms);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
