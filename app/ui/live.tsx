"use client";

import { createContext, useContext, useEffect, useRef, useState } from "react";
import { clockText } from "@/lib/format/relative-time";
import { SECOND } from "@/lib/format/time";
import { zoneText } from "@/lib/format/time-zone";
import { isConsoleReady } from "./is-console-ready";
import styles from "./live.module.css";
import { FailureWords } from "./no-answer";
import { type Failure, failureOf } from "./refusal";
import { useTimeZone } from "./signed-in";

const RENEWED_EVERY = 20 * SECOND;
/** A console that says nothing for this long counts as away. */
const ANSWER_TIMEOUT = 8 * SECOND;

const Away = createContext(false);

/** Whether the console does not answer, so that what the page shows is out of date. */
export function useIsAway(): boolean {
  return useContext(Away);
}

type Props = {
  /** Returns the new content that replaces `children`. */
  load: () => Promise<React.ReactNode>;
  children: React.ReactNode;
};

/**
 * Keeps a part of a page up to date while the page is visible. A failed renewal keeps the old content and says so. A
 * refresh by the router would load the whole page instead, and lose it while the console is away.
 */
export function Live({ load, children }: Props) {
  const [renewed, setRenewed] = useState<{ of: React.ReactNode; content: React.ReactNode } | null>(null);
  const [away, setAway] = useState<{ since: Date; why: Failure } | null>(null);
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
      const renewal = askFor(load).finally(() => {
        isAsking.current = false;
      });
      try {
        const content = await within(ANSWER_TIMEOUT, renewal);
        if (isOver) return;
        renewedAt.current = Date.now();
        setRenewed({ of: children, content });
        setAway(null);
      } catch (error) {
        const why = failureOf(error);
        if (!isOver) setAway((before) => ({ since: before?.since ?? new Date(renewedAt.current), why }));
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
      {/* When the router has loaded the page since, its content is newer than the renewal. */}
      <Away value={away !== null}>{renewed && renewed.of === children ? renewed.content : children}</Away>
      <div role="status" className={`${styles.status} ${away ? styles.failed : ""}`}>
        {away && <NotUpdated {...away} at={`${clockText(away.since, zone)} ${zoneText(zone)}`} />}
      </div>
    </>
  );
}

function NotUpdated({ at, why }: { at: string; why: Failure }) {
  const more = why === null ? ": the console does not answer. It is asked again every few seconds" : "";
  const text = `Not updated since ${at}${more}; what you see stays as it was.`;
  return (
    <>
      <span>{text}</span> {why && <FailureWords failure={why} />}
    </>
  );
}

async function askFor(load: Props["load"]): Promise<React.ReactNode> {
  if (!(await isConsoleReady(ANSWER_TIMEOUT))) throw new Error("The console is not ready.");
  return load();
}

async function within<Value>(ms: number, value: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("No answer in time.")), ms);
  });
  return Promise.race([value, late]).finally(() => clearTimeout(timer));
}
