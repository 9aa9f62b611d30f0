import { expect, test } from "vitest";
import type { ServiceDetails } from "@/lib/game-services/details";
import { nextStep, STATUSES } from "./service-status";

type Facts = Pick<ServiceDetails, "wish"> & {
  unservedSince?: number;
  status: ServiceDetails["service"]["status"];
  versions: (number | null)[];
};

/** A service at version 3, which each live node has in one of the versions. */
function detailsOf({ wish, status, versions, unservedSince }: Facts): ServiceDetails {
  return {
    service: { status, java_hostname: "mc.example.com", config_version: 3 },
    goesOn: new Map(unservedSince === undefined ? [] : [["unserved", unservedSince]]),
    wish,
    wasFetched: true,
    newest: { configVersion: 3, isWithheld: false },
    nodes: versions.map((version) => ({ isLive: true, error: null, version })),
  } as unknown as ServiceDetails;
}

test.each<[string, Facts]>([
  ["Rolling out version 3: 1 of 3 edge nodes has it.", { wish: "on", status: "configuring", versions: [3, 2, null] }],
  ["Rolling out version 3: 0 of 1 edge node has it.", { wish: "on", status: "configuring", versions: [2] }],
  ["Disabling: 0 of 3 edge nodes have stopped.", { wish: "off", status: "configuring", versions: [2, 2, 2] }],
  ["Disabling: 2 of 3 edge nodes have stopped.", { wish: "off", status: "configuring", versions: [3, 2, 3] }],
  ["Nobody can join until it is enabled.", { wish: "off", status: "disabled", versions: [3] }],
  ["Players who join mc.example.com reach the origin.", { wish: "on", status: "active", versions: [3] }],
  [
    "Players may still reach the origin through edge nodes that fell silent. No edge node reports at the moment: nothing changes until one does.",
    { wish: "on", status: "active", versions: [], unservedSince: 0 },
  ],
  ["No edge node has fetched this service yet.", { wish: "off", status: "pending_config", versions: [null] }],
])("the line under a service's name says how far its edge nodes are: %s", (said, facts) => {
  expect(nextStep(detailsOf(facts))).toBe(said);
});

test("each status has a word and a sign of its own, besides its colour", () => {
  const all = Object.values(STATUSES);
  expect([new Set(all.map(({ word }) => word)).size, new Set(all.map(({ sign }) => sign)).size]).toEqual([6, 6]);
});
