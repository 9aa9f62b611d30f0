import { deleteOldEvents } from "@/lib/servers/events/retention";
import * as sums from "@/lib/servers/events/uptime-sums";

// For another process, which cannot be given the function that says whether to go on.

const ALWAYS = async () => true;

export const freezeUptime = (now: number) => sums.freezeUptime(now, ALWAYS);
export const listUptimeSums = sums.listUptimeSums;
export const deleteOld = (now: number, days: number) => deleteOldEvents(now, days, ALWAYS);
