import { expect, test } from "vitest";
import { getData, sendMcp } from "@/e2e/support/ask";
import { newOwnedService } from "@/e2e/support/factories";
import { recordIntervals } from "@/e2e/support/record-intervals";
import type { Data } from "@/lib/api/contract";
import { DAY, MINUTE } from "@/lib/format/time";
import { getTraffic } from "@/lib/game-services/traffic";

type Series = Data<"/api/v1/game-services/:id/metrics">["series"];

const COUNTERS = ["packets", "bytes", "dropped", "connections"] as const;
const COLUMNS = [...COUNTERS, "latency_ms_least", "latency_ms_greatest"];

/** What the tool answers about one's service. */
async function callTraffic(token: string, input: Record<string, unknown>) {
  const { json } = await sendMcp(token, "tools/call", { name: "traffic", arguments: input });
  return JSON.parse(json.result?.content?.[0]?.text ?? "");
}

/** In the order of the columns. */
function summed(series: Series) {
  const latencies = series.flatMap(({ latency_ms: ms }) => ms ?? []).sort((a, b) => a - b);
  const sums = COUNTERS.map((counter) => series.reduce((sum, one) => sum + one[counter], 0));
  return [...sums, latencies[0] ?? null, latencies.at(-1) ?? null];
}

test("traffic in total, by day and by node sums up the API's series", async () => {
  const { token, id } = await newOwnedService({ name: "Busy" });
  const now = Date.now();
  await recordIntervals(
    Array.from({ length: 300 }, (_, n) => ({
      ...{
        serviceId: id,
        ts: now - (25 + 10 * n) * MINUTE,
        nodeId: 1 + (n % 3),
        latencyMs: n % 3 === 2 ? null : n % 40,
      },
      ...{ packets: (n * 7919) % 5000, bytes: n * n, dropped: (n * 31) % 97, connections: n % 53 },
    })),
  );
  const path = `/api/v1/game-services/${id}/metrics`;
  const { series: week } = await getData<{ series: Series }>(`${path}?range=7d`, token);
  for (const [column, by, partOf] of [
    ["day_begins", "day", ({ ts }) => Math.floor(ts / DAY) * DAY],
    ["node_id", "node", (one) => one.node_id],
  ] satisfies [string, string, (one: Series[number]) => number][]) {
    const parts = [...new Set(week.map(partOf))].sort((a, b) => a - b);
    const { columns, rows } = await callTraffic(token, { id, range: "7d", by });
    expect(columns).toEqual([column, ...COLUMNS]);
    expect(rows).toEqual(parts.map((part) => [part, ...summed(week.filter((one) => partOf(one) === part))]));
    expect(rows.length).toBeGreaterThan(2);
  }
  const { name, range, total } = await callTraffic(token, { id });
  const { series: hour } = await getData<{ series: Series }>(path, token);
  expect([name, range, ...COLUMNS.map((column) => total[column])]).toEqual(["Busy", "1h", ...summed(hour)]);
  expect(hour).toHaveLength(4);
});

test("the greatest counts that the database takes are summed up", async () => {
  const { token, id: serviceId } = await newOwnedService();
  const most = 2 ** 53 - 1;
  const greatest = { serviceId, packets: most, bytes: most, dropped: most, connections: most };
  const now = Date.now();
  await recordIntervals(Array.from({ length: 1200 }, (_, n) => ({ ...greatest, ts: now - n * MINUTE })));
  for (const by of ["hour", "day", "node"]) {
    const { total } = await callTraffic(token, { id: serviceId, range: "24h", by });
    expect(total.bytes / (1200 * most)).toBeCloseTo(1);
  }
  const { totals } = await getTraffic(serviceId, "24h", null);
  expect(totals.bytes / (1200 * most)).toBeCloseTo(1);
});
