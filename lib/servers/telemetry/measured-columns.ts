import type { OptionalTable, Table } from "@/lib/database/tables";

type Samples = Table<"TelemetrySample"> | OptionalTable<"TelemetrySample">;

/** The columns of a sample that a score rests on or the API tells of. */
export function measuredColumns<From extends Samples>(t: From) {
  return {
    cpuPct: t.cpuPct,
    cpuStealPct: t.cpuStealPct,
    cpuIowaitPct: t.cpuIowaitPct,
    load5: t.load5,
    memUsedMb: t.memUsedMb,
    memTotalMb: t.memTotalMb,
    swapUsedPct: t.swapUsedPct,
    diskUsedPct: t.diskUsedPct,
    netLossPct: t.netLossPct,
    netRetransmitPct: t.netRetransmitPct,
    oomKills: t.oomKills,
  };
}
