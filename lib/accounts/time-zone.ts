import { db } from "@/lib/database/client";
import { findZone } from "@/lib/time-zone";

export type SetTimeZone = { kind: "set"; timeZone: string } | { kind: "invalid"; message: string };

/** Keeps the zone in which the pages write times for this account. */
export async function setTimeZone(accountId: number, name: string): Promise<SetTimeZone> {
  const timeZone = findZone(name);
  if (timeZone === null) return { kind: "invalid", message: "Choose a time zone from the list." };
  await db.account.update({ where: { id: accountId }, data: { timeZone } });
  return { kind: "set", timeZone };
}

/** Every zone that can be chosen: UTC, then the others by name. */
export function listTimeZones(): string[] {
  return ["UTC", ...Intl.supportedValuesOf("timeZone").filter((name) => name !== "UTC")];
}
