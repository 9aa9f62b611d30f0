"use client";

import { createContext, useContext } from "react";

const TimeZone = createContext("UTC");

/** The zone in which everything below it writes times: an IANA name. */
export function TimeZoneProvider({ zone, children }: { zone: string; children: React.ReactNode }) {
  return <TimeZone value={zone}>{children}</TimeZone>;
}

export function useTimeZone(): string {
  return useContext(TimeZone);
}
