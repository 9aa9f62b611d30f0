import { epochMs } from "@/lib/database/statement";
import { Expression, table } from "@/lib/database/tables";

const m = table("MaintenanceTime", "m");

type Pair = readonly [from: number, to: number];

/** SQL of the maintenance of a server that overlaps `[from, to)`, in order, as pairs of epoch milliseconds; null: none. */
export const maintenanceBetween = (serverId: string, from: string, to: string) =>
  new Expression<Pair[] | null>(`(
    select json_agg(json_build_array(${epochMs(m.startedAt)}, ${epochMs(m.endedAt)}) order by ${m.startedAt}) from ${m}
    where ${m.serverId} = ${serverId} and ${m.startedAt} < ${to} and ${m.endedAt} > ${from})`);
