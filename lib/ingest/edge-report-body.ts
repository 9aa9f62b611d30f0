import { z } from "zod";
import { ApiError } from "@/lib/api/api-error";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { CAPACITY, type Excess, findExcess, type MinuteCounters } from "@/lib/game-services/edges/line";
import type { EdgeReport } from "@/lib/game-services/edges/reports";
import { MAX_ID } from "@/lib/http/ids";
import { env } from "@/lib/process/env";
import { printable } from "@/lib/servers/telemetry/report";
import { describeIssue } from "./body-text";
import { parseBoundedJson } from "./bounded-json";

/** In milliseconds: how old an interval may be when a node delivers it late. */
const MAX_AGE = 2 * HOUR;
/** How far a node's clock may be ahead of this one, in milliseconds. */
const MAX_AHEAD = 5 * SECOND;
/** Per kind of entry. A node with more entries sends several reports. */
const MAX_ENTRIES = 1000;
/** A measurement takes place within its interval. */
const MAX_LATENCY_MS = MINUTE;

const id = z.int().min(1).max(MAX_ID);
const counter = z.int().min(0);
const asked = counter.max(CAPACITY.connections).optional();
/** A list that is read up to its first mistake: thousands of them would take long to describe. */
const atMost = <Item extends z.ZodType>(item: Item) =>
  z
    .array(z.unknown())
    .max(MAX_ENTRIES, `has more than ${MAX_ENTRIES} entries`)
    .transform((list, context) => {
      const items: z.output<Item>[] = [];
      for (const [index, one] of list.entries()) {
        const parsed = item.safeParse(one);
        if (!parsed.success) {
          const [issue] = parsed.error.issues;
          context.addIssue({ ...issue, path: [index, ...(issue?.path ?? [])] } as Parameters<
            typeof context.addIssue
          >[0]);
          return z.NEVER;
        }
        items.push(parsed.data);
      }
      return items;
    })
    .optional()
    .default([]);

const version = z.int().min(0).max(MAX_ID);

const acknowledgement = z.strictObject({
  service_id: id,
  version: version.nullable(),
  error: printable(256).nullable(),
  // Older programs of edge nodes send neither.
  serving_version: version.nullish(),
  warning: printable(512).nullish(),
});

const interval = z.strictObject({
  service_id: id,
  ts: z.int(),
  packets: counter,
  bytes: counter,
  dropped: counter,
  connections: counter,
  latency_ms: z.number().min(0).max(MAX_LATENCY_MS).nullable(),
  // Older programs of edge nodes send none of these.
  joins: asked,
  pings: asked,
  answered: asked,
  players: asked,
});

const nodeMinute = z.strictObject({ ts: z.int(), refused: counter.max(CAPACITY.packets) });

const ENTRIES = new Set(["acknowledgements", "intervals", "node_minutes"]);
const body = z.strictObject({
  acknowledgements: atMost(acknowledgement),
  intervals: atMost(interval),
  node_minutes: atMost(nodeMinute),
});

/**
 * Reads what an edge node sent at `arrivedAt`.
 * @throws ApiError 400 naming the first field that is wrong.
 */
export function parseEdgeReport(bytes: Buffer, arrivedAt: Date): EdgeReport {
  const parsed = body.safeParse(parseBoundedJson(bytes, { lists: ENTRIES }));
  if (!parsed.success) throw new ApiError(400, describeIssue(parsed.error.issues[0], "a report"));
  const { acknowledgements, intervals, node_minutes } = parsed.data;
  for (const [name, list] of Object.entries({ intervals, node_minutes })) {
    for (const [index, { ts }] of list.entries()) {
      const problem = problemOfTime(ts, arrivedAt.getTime());
      if (problem !== null) throw new ApiError(400, `${name}.${index}.ts: ${problem}`);
    }
  }
  const excess = findExcess(intervals);
  if (excess !== null) throw overLine(excess, intervals);
  return {
    acknowledgements: acknowledgements.map(({ service_id, serving_version, warning, ...rest }) => {
      return { serviceId: service_id, servingVersion: serving_version ?? null, warning: warning ?? null, ...rest };
    }),
    intervals,
    nodeMinutes: node_minutes,
  };
}

/** The 400 for more than a line carries. It names the largest interval, which is the most likely to be wrong. */
export function overLine({ ts, counter, total }: Excess, intervals: readonly MinuteCounters[]): ApiError {
  const values = intervals.map((one) => (one.ts === ts ? one[counter] : -1));
  const largest = values.indexOf(Math.max(...values));
  const most = `a line of ${env.edgeLineGbit} Gbit/s (EDGE_LINE_GBIT) carries ${CAPACITY[counter]} at most`;
  return new ApiError(
    400,
    `intervals.${largest}.${counter}: with it the node counted ${total} in this minute, all services together, and ${most}.`,
  );
}

/** An interval is a whole minute of the clock (UTC) that has ended. */
function problemOfTime(ts: number, now: number): string | null {
  if (ts % MINUTE !== 0) return "is not the beginning of a minute.";
  if (ts + MINUTE > now + MAX_AHEAD) {
    return "is of a minute that has not ended by the console's clock. Check this machine's clock.";
  }
  if (ts < now - MAX_AGE) return `is ${Math.round((now - ts) / MINUTE)} minutes old, and 2 hours are the most.`;
  return null;
}
