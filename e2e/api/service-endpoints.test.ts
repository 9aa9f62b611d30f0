import { expect, test } from "vitest";
import { call, expectFailure, getData } from "@/e2e/support/ask";
import { newAccount, newGameService, newOwnedService } from "@/e2e/support/factories";
import { type Interval, recordIntervals } from "@/e2e/support/record-intervals";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE, SECOND } from "@/lib/format/time";

/** An interval as the API shows it. */
const shown = ({ serviceId: _, nodeId, latencyMs, ...rest }: Interval) => ({
  ...rest,
  node_id: nodeId,
  latency_ms: latencyMs,
});

test("GET /game-services lists owned and granted services by id with the detail's fields", async () => {
  const { id: accountId, token } = await newAccount();
  const other = await newAccount();
  const failed = { status: "failed", error: "Origin refused.", createdAt: new Date(Date.now() - DAY) } as const;
  const granted = await newGameService(other.id, { name: "Shared", ...failed });
  await newGameService(other.id);
  const owned = await newGameService(accountId, { name: "Own", status: "active", configVersion: 7 });
  await db.serviceGrant.create({ data: { serviceId: granted.id, accountId } });
  await db.serviceGrant.create({ data: { serviceId: owned.id, accountId } });
  const rows = await db.gameService.findMany({ where: { id: { in: [granted.id, owned.id] } }, orderBy: { id: "asc" } });
  const expected = rows.map((row) => ({
    id: row.id,
    name: row.id === owned.id ? "Own" : "Shared",
    status: row.id === owned.id ? "active" : "failed",
    java_hostname: row.javaHostname,
    origin_host: "198.51.100.7",
    origin_port: 25_565,
    config_version: row.id === owned.id ? 7 : 1,
    error: row.id === owned.id ? null : "Origin refused.",
    created_at: row.createdAt.getTime(),
    updated_at: row.updatedAt.getTime(),
  }));
  expect(await getData("/api/v1/game-services", token)).toEqual({ services: expected });
  expect(await getData(`/api/v1/game-services/${granted.id}`, token)).toEqual(expected[0]);
  expect(await getData(`/api/v1/game-services/${owned.id}`, token)).toEqual(expected[1]);
});

for (const [range, age] of [
  ["1h", HOUR],
  ["24h", DAY],
  ["7d", 7 * DAY],
] as const) {
  test(`metrics of ${range} are exactly the stored intervals of the window, in order`, async () => {
    const { token, id: serviceId } = await newOwnedService();
    const now = Date.now();
    const nothing = { serviceId, packets: 0, bytes: 0, dropped: 0, connections: 0, latencyMs: null };
    const inside: Interval[] = [
      { ...nothing, ts: now - age + 20 * SECOND, nodeId: 3, bytes: 9007199254740991, packets: 7, connections: 2 },
      { ...nothing, ts: now - 2 * SECOND, nodeId: 1, dropped: 3 },
      { ...nothing, ts: now - 2 * SECOND, nodeId: 2, latencyMs: 18.25 },
    ];
    const outside = [now - age - SECOND, now + MINUTE].map((ts) => ({ serviceId, ts }));
    await recordIntervals([...outside, ...inside.toReversed()]);
    const path = `/api/v1/game-services/${serviceId}/metrics?range=${range}`;
    expect(await getData(path, token)).toEqual({ range, series: inside.map(shown) });
  });
}

test("a week of two nodes is complete and in order, compressed or not", async () => {
  const { token, id: serviceId } = await newOwnedService();
  const start = Date.now() - 7 * DAY + MINUTE;
  const stored = Array.from({ length: 1000 * 2 }, (_, index) => ({
    serviceId,
    ts: start + Math.floor(index / 2) * (10 * MINUTE + 1),
    nodeId: (index % 2) + 1,
    packets: index,
    bytes: 1000 * index,
    dropped: 0,
    connections: 1,
    latencyMs: index % 3 === 0 ? null : 0.1 * index,
  }));
  await recordIntervals(stored.toReversed());
  for (const coding of ["identity", "gzip"]) {
    const headers = { "Accept-Encoding": coding };
    const path = `/api/v1/game-services/${serviceId}/metrics?range=7d`;
    expect(await getData(path, token, { headers })).toEqual({ range: "7d", series: stored.map(shown) });
  }
});

test("since narrows the range to later intervals and never widens it", async () => {
  const { token, id } = await newOwnedService();
  const now = Date.now();
  const at = (minutes: number) => now - minutes * MINUTE;
  const ages = [90, 30, 20, 10];
  await recordIntervals(ages.flatMap((age) => [1, 2].map((nodeId) => ({ serviceId: id, ts: at(age), nodeId }))));
  const path = `/api/v1/game-services/${id}/metrics`;
  const found = async (query: string) => {
    const { series } = await getData<{ series: { ts: number; node_id: number }[] }>(`${path}?${query}`, token);
    return series.map(({ ts, node_id }) => [(now - ts) / MINUTE, node_id]);
  };
  const both = (...minutes: number[]) => minutes.flatMap((each) => [1, 2].map((nodeId) => [each, nodeId]));
  expect(await found(`since=${at(20)}`)).toEqual(both(10));
  expect(await found(`since=${at(20) - 1}`)).toEqual(both(20, 10));
  expect(await found(`since=${at(100)}`)).toEqual(both(30, 20, 10));
  expect(await found(`range=24h&since=${at(100)}`)).toEqual(both(90, 30, 20, 10));
  expect(await found("range=7d&since=0")).toEqual(both(90, 30, 20, 10));
  for (const since of [now + DAY, 8640000000000000]) expect(await found(`since=${since}`)).toEqual([]);
});

for (const value of [
  ...["", "-1", "1e400", "1e3", "1.5", "x", "%201", "%2B1", "0x1", "NaN", "%EF%BC%91"],
  ...["8640000000000001", "99999999999999999", "1&since=1"],
]) {
  test(`since=${value} is 400 with GET and HEAD, and 404 for a foreign service`, async () => {
    const [owner, stranger] = [await newAccount(), await newAccount()];
    const { id } = await newGameService(owner.id);
    const path = `/api/v1/game-services/${id}/metrics?since=${value}`;
    await expectFailure(call(path, owner.token), 400, "Invalid since. Send whole Unix epoch milliseconds, once.");
    expect((await call(path, owner.token, { method: "HEAD" })).status).toBe(400);
    await expectFailure(call(path, stranger.token), 404, "Not found.");
  });
}

test("metrics without a range are those of the last hour", async () => {
  const { token, id } = await newOwnedService();
  // A parameter of another name is no range.
  for (const query of ["", "?range=%31h", "?range[]=24h", "?Range=7d", "?ranges=7d"]) {
    expect(await getData(`/api/v1/game-services/${id}/metrics${query}`, token)).toEqual({ range: "1h", series: [] });
  }
});

for (const query of [
  "range=",
  "range",
  "range=2h",
  "range=1H",
  "range=1h%20",
  "range=+1h",
  "range=%00",
  "range=constructor",
  "range=__proto__",
  "range=1h&range=1h",
  "range=1h&range=24h&since=x",
  `range=${"7d".repeat(3000)}`,
]) {
  test(`metrics?${query.slice(0, 40)} is 400 with the allowed values`, async () => {
    const { token, id } = await newOwnedService();
    await expectFailure(
      call(`/api/v1/game-services/${id}/metrics?${query}`, token),
      400,
      "Invalid range. Allowed values: 1h, 24h, 7d.",
    );
  });
}
