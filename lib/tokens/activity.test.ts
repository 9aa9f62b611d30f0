import { expect, test } from "vitest";
import { visitorsOf } from "./activity";

const UNUSED = {
  id: 1,
  firstUsedAt: null,
  firstUsedIp: null,
  lastUsedAt: null,
  lastUsedIp: null,
  lastUsedAgent: null,
  lastRefusedAt: null,
  lastRefusedIp: null,
  lastRefusedAgent: null,
};

const seen = (ip: string, first: number, last: number) => ({
  ip,
  network: ip,
  agent: null,
  requests: 3,
  firstSeenAt: new Date(first),
  lastSeenAt: new Date(last),
});

test("a token's last use is listed, whether or not its row is written", () => {
  const token = { ...UNUSED, lastUsedAt: new Date(30), lastUsedIp: "192.0.2.9", lastUsedAgent: "curl/8" };
  const last = { ip: "192.0.2.9", agent: "curl/8", firstSeenAt: null, lastSeenAt: new Date(30), requests: null };
  expect(visitorsOf(token, null, [], []).used).toEqual([{ ...last, isNew: false }]);
  expect(visitorsOf(token, null, [seen("192.0.2.9", 5, 40)], []).used).toHaveLength(1);
});

test("the ip of the first use was first seen then, even without a row", () => {
  const use = { lastUsedAt: new Date(30), lastUsedIp: "192.0.2.9", lastUsedAgent: null };
  const token = { ...UNUSED, ...use, firstUsedAt: new Date(5), firstUsedIp: "192.0.2.9" };
  const firstSeen = (rows: ReturnType<typeof seen>[]) =>
    visitorsOf(token, null, rows, []).used.map(({ ip, firstSeenAt }) => [ip, Number(firstSeenAt)]);
  expect(firstSeen([])).toEqual([["192.0.2.9", 5]]);
  expect(firstSeen([seen("192.0.2.1", 10, 20), seen("192.0.2.9", 7, 30)])).toEqual([
    ["192.0.2.9", 5],
    ["192.0.2.1", 10],
  ]);
});
