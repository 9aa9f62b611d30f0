import { expect, test } from "vitest";
import { visitorsOf } from "./activity";

const UNUSED = {
  id: 1,
  lastUsedAt: null,
  lastUsedIp: null,
  lastUsedAgent: null,
  lastRefusedAt: null,
  lastRefusedIp: null,
  lastRefusedAgent: null,
};

const NOW = new Date(100);
const seen = (ip: string, first: number, last: number) => ({
  ip,
  tokenId: 1,
  network: ip,
  agent: null,
  requests: 3,
  knownAt: null,
  firstSeenAt: new Date(first),
  lastSeenAt: new Date(last),
});

test("requests after a token's end are refusals, requests before it are uses; an ip with both is in both lists", () => {
  const rows = [seen("192.0.2.1", 10, 20), seen("192.0.2.2", 10, 60), seen("192.0.2.3", 55, 70)];
  const { used, refused } = visitorsOf(UNUSED, new Date(50), rows, NOW);
  expect(used.map(({ ip, lastSeenAt }) => [ip, lastSeenAt.getTime()])).toEqual([
    ["192.0.2.2", 50],
    ["192.0.2.1", 20],
  ]);
  expect(refused.map(({ ip }) => ip)).toEqual(["192.0.2.3", "192.0.2.2"]);
});

test("a last use that the list of tokens shows is among the uses, whether or not its row is written", () => {
  const token = { ...UNUSED, lastUsedAt: new Date(30), lastUsedIp: "192.0.2.9", lastUsedAgent: "curl/8" };
  const last = { ip: "192.0.2.9", agent: "curl/8", firstSeenAt: null, lastSeenAt: new Date(30), requests: null };
  expect(visitorsOf(token, null, [], NOW).used).toEqual([{ ...last, isNew: false }]);
  expect(visitorsOf(token, null, [seen("192.0.2.9", 5, 40)], NOW).used).toHaveLength(1);
});

test("a network is new for a week, unless it was the first of its token or its owner said to know it", () => {
  const day = 24 * 3_600_000;
  const now = new Date(30 * day);
  const known = { ...seen("192.0.2.4", 29 * day, 30 * day), knownAt: now };
  const rows = [
    seen("192.0.2.1", 1, 2),
    seen("192.0.2.2", 10 * day, 30 * day),
    seen("192.0.2.3", 28 * day, 30 * day),
    known,
  ];
  const isNew = ({ used }: ReturnType<typeof visitorsOf>) => used.flatMap(({ ip, isNew }) => (isNew ? [ip] : []));
  expect(isNew(visitorsOf(UNUSED, null, rows, now))).toEqual(["192.0.2.3"]);
  expect(isNew(visitorsOf(UNUSED, null, rows.slice(2), now))).toEqual([]);
  expect(isNew(visitorsOf(UNUSED, new Date(29.5 * day), rows, now))).toEqual([]);
});
