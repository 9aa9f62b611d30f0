import { BEFORE, deleteOfOwner, deletion, deletionOfOwner, type GoesOn } from "@/lib/database/deletion";
import { query } from "@/lib/database/run-statement";
import { select, statement } from "@/lib/database/statement";
import { table } from "@/lib/database/tables";
import { DAY } from "@/lib/format/time";

const s = table("Server", "s");
const t = table("TelemetrySample", "t");
const h = table("TelemetryHour", "h");

const OF_SERVER = deletionOfOwner(t, t.serverId, t.at);
const HOURS_OF_SERVER = deletionOfOwner(h, h.serverId, h.hour);

/** Deletes the sums of a server that is about to go, in small statements: with its row they would go in one. */
export function deleteHoursOf(serverId: number): Promise<void> {
  return deleteOfOwner(HOURS_OF_SERVER, serverId);
}

/** Deletes all samples of a server that is gone, in small statements. */
export function deleteSamplesOf(serverId: number): Promise<void> {
  return deleteOfOwner(OF_SERVER, serverId);
}

// Raw: PostgreSQL has no statement that skips from one id of an index to the next.
const LEFT = statement({}, () =>
  select(
    { id: t.serverId },
    `from (with recursive ids as (
        (select ${t.serverId} from ${t} order by 1 limit 1)
        union all select (select ${t.serverId} from ${t} where ${t.serverId} > ids.server_id order by 1 limit 1)
        from ids where ids.server_id is not null)
      select server_id from ids where server_id is not null) t
    where not exists (select from ${s} where ${s.id} = ${t.serverId}) limit 1000`,
  ),
);

/** Deletes samples of servers that are gone: their account was removed, or their removal was cut off. Answers of how many servers. */
export async function deleteLeftSamples(goesOn: GoesOn): Promise<number> {
  let servers = 0;
  for (const { id } of await query(LEFT, {})) {
    if (!(await goesOn())) break;
    await deleteSamplesOf(id);
    servers++;
  }
  return servers;
}

const deleteHours = deletion(
  s,
  BEFORE,
  "delete from telemetry_hours",
  (before) => `select h.ctid from ${h} where ${h.serverId} = ${s.id} and ${h.hour} < ${before}`,
);

/** Deletes sums of hours older than so many days at `now` (epoch ms). Answers how many. */
export function deleteOldHours(now: number, days: number, goesOn: GoesOn): Promise<number> {
  return deleteHours(new Date(now - days * DAY), goesOn);
}
