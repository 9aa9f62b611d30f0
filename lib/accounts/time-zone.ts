import { db } from "@/lib/database/client";
import { findZone, zoneOrUtc } from "@/lib/format/time-zone";

type Stored = { timeZone: string; timeZoneChosen: boolean };

/** The zone of the pages of an account, and whether it has chosen one. `cookie` is the zone that the browser named. */
export function zoneOf(
  { timeZone, timeZoneChosen }: Stored,
  cookie: string | undefined,
): { timeZone: string; hasChosenZone: boolean } {
  const hasChosenZone = timeZoneChosen || timeZone !== "UTC";
  const ofBrowser = hasChosenZone || cookie === undefined ? null : findZone(cookie);
  return { timeZone: ofBrowser ?? zoneOrUtc(timeZone), hasChosenZone };
}

export type SetTimeZone = { kind: "set"; timeZone: string } | { kind: "invalid"; message: string };

/** Keeps the zone in which the pages write times for this account. */
export async function setTimeZone(accountId: number, name: string): Promise<SetTimeZone> {
  const timeZone = findZone(name);
  if (timeZone === null) return { kind: "invalid", message: "Choose a time zone from the list." };
  await db.account.update({ where: { id: accountId }, data: { timeZone, timeZoneChosen: true } });
  return { kind: "set", timeZone };
}

/** Every zone that can be chosen: UTC, then the others by name. */
export function listTimeZones(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];
}
