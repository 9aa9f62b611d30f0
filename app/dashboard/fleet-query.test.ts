import { expect, test } from "vitest";
import type { FleetServer } from "@/lib/servers/servers";
import { adjacentOf, countTags, fleetPath, idsInList, pageOf, parseFleetQuery } from "./fleet-query";

const server = (id: number, label: string, change: Partial<FleetServer> = {}): FleetServer => ({
  id,
  label,
  hostname: `${label}.example`,
  online: true,
  score: 950,
  last_seen: 0,
  public_ip: null,
  tags: [],
  createdAt: 0,
  hasCheckedIn: true,
  need: "well",
  day: { outages: 0, reboots: 0, lastBreakAt: null, unwell: null },
  isUnstable: false,
  lastBreakAt: null,
  cpuPct: null,
  memUsedPct: null,
  diskUsedPct: null,
  cause: null,
  ...change,
});
const FLEET = [
  server(1, "never", { hasCheckedIn: false, online: false, score: 500, need: "never" }),
  server(2, "well 10", { cpuPct: 20 }),
  server(3, "strained", { score: 900, need: "attention", cpuPct: 90, public_ip: "192.0.2.7" }),
  server(4, "silent", { online: false, score: 990, need: "offline", cpuPct: 99 }),
  server(5, "well 9", { score: 820 }),
];
const labels = (query: Record<string, string>) =>
  pageOf(FLEET, parseFleetQuery(query)).servers.map(({ label }) => label);

test("silent servers come first, those needing attention next, those never set up last", () => {
  expect(labels({})).toEqual(["silent", "strained", "well 9", "well 10", "never"]);
  expect(labels({ order: "name" })).toEqual(["never", "silent", "strained", "well 9", "well 10"]);
  expect(labels({ order: "-name" })).toEqual(["well 10", "well 9", "strained", "silent", "never"]);
});

test("a server without a present value sorts last in either direction", () => {
  expect(labels({ order: "cpu" })).toEqual(["strained", "well 10", "never", "silent", "well 9"]);
  expect(labels({ order: "-cpu" })).toEqual(["well 10", "strained", "never", "silent", "well 9"]);
  expect(labels({ order: "-score" })).toEqual(["well 10", "well 9", "strained", "silent", "never"]);
});

test("servers are found by words of label, hostname, ip and need", () => {
  expect(labels({ q: "WELL example" })).toEqual(["well 9", "well 10"]);
  expect(labels({ q: "192.0.2" })).toEqual(["strained"]);
  expect(labels({ show: "attention" })).toEqual(["strained"]);
  expect(labels({ show: "never" })).toEqual(["never"]);
  expect(labels({ show: "offline", q: "well" })).toEqual([]);
});

test("servers are found by whole tags and by words of their tags", () => {
  const tagged = [
    server(1, "a", { tags: ["db", "eu west"] }),
    server(2, "b", { tags: ["café", "db"] }),
    server(3, "c", { tags: ["db2"] }),
  ];
  const ids = (query: Record<string, string>) => idsInList(tagged, parseFleetQuery(query));
  expect(ids({ tag: "db" })).toEqual([1, 2]);
  expect(ids({ tag: " DB " })).toEqual([1, 2]);
  expect(ids({ tag: "CAFE\u0301" })).toEqual([2]);
  expect(ids({ tag: "west" })).toEqual([]);
  expect(ids({ tag: " " })).toEqual([1, 2, 3]);
  expect(ids({ q: "west" })).toEqual([1]);
  const counts = countTags(tagged).map(({ tag, count }) => `${count} ${tag}`);
  expect(counts).toEqual(["2 db", "1 café", "1 db2", "1 eu west"]);
  expect(adjacentOf(1, tagged, parseFleetQuery({ tag: "db" }))).toMatchObject({ next: { id: 2 }, count: 2 });
});

test("neighbours go through all servers by name, and round", () => {
  const named = [server(1, "web 2"), server(2, "web 10"), server(3, "alpha")];
  const around = (id: number) => adjacentOf(id, named, parseFleetQuery({ order: "name" }));
  expect([3, 1, 2].map((id) => [around(id)?.previous.id, around(id)?.next.id])).toEqual([[2, 1], [3, 2], [1, 3]]); // biome-ignore format: pairs
});

test("a query survives its URL, and unknown values in it are ignored", () => {
  for (const path of ["/dashboard", "/dashboard?order=-cpu&show=offline&q=a+b&tag=eu+west&page=3"]) {
    const params = Object.fromEntries(new URL(path, "http://x").searchParams);
    expect(fleetPath(parseFleetQuery(params))).toBe(path);
  }
  const nonsense = { order: "constructor", show: "__proto__", q: ["a"], tag: ["a"], view: "compact", page: "0" };
  expect(fleetPath(parseFleetQuery(nonsense))).toBe("/dashboard");
});
