import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { newServer, putEvents, putPast, putSample } from "./factories";

const PEAK = 97.3;

type Past = { id: number; silenceFrom: number; silenceTo: number; peakAt: number };

/** A server that reported each minute of two days but for twenty minutes, had one peak, and fell silent ten minutes ago. */
export async function serverWithPast(accountId: number, label = "Web"): Promise<Past> {
  const createdAt = new Date(Date.now() - 10 * DAY);
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const lastSeenAt = new Date(now - 10 * MINUTE);
  const { id } = await newServer(accountId, { label, createdAt, lastSeenAt, facts: { cores: 2 } });
  // Within one hour of the clock, so that its row of the table says how much of it was heard.
  const silenceFrom = Math.floor((now - 5 * HOUR) / HOUR) * HOUR + 10 * MINUTE;
  const silenceTo = silenceFrom + 20 * MINUTE;
  const peakAt = Math.floor((now - 3 * HOUR) / HOUR) * HOUR + 7 * MINUTE;
  const values = {
    cpu_pct: `case when ts = '${new Date(peakAt).toISOString()}' then ${PEAK} else 20 + extract(minute from ts) / 10 end`,
  };
  const isHeard = `not (ts > '${new Date(silenceFrom).toISOString()}' and ts < '${new Date(silenceTo).toISOString()}')`;
  await putSample(id, lastSeenAt, { cpuPct: 20 + lastSeenAt.getUTCMinutes() / 10, diskUsedPct: 40, netLossPct: 0 });
  await putPast(id, { from: new Date(now - 2 * DAY), to: lastSeenAt, isHeard }, values);
  const times = { startedAt: new Date(silenceFrom), endedAt: new Date(silenceTo) };
  await putEvents(id, { kind: "offline", ...times });
  return { id, silenceFrom, silenceTo, peakAt };
}
