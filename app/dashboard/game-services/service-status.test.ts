import { expect, test } from "vitest";
import type { ServiceDetails } from "@/lib/game-services/details";
import { nextStep } from "./service-status";

type Facts = Pick<ServiceDetails, "wish"> & {
  unservedSince?: number;
  status: ServiceDetails["service"]["status"];
  versions: (number | null)[];
};

/** A service at version 3, which each live node has in one of the versions. */
function detailsOf({ wish, status, versions, unservedSince }: Facts): ServiceDetails {
  const node = {
    name: "edge",
    isLive: true,
    lastHeardAt: new Date(),
    error: null,
    servingVersion: null,
    warning: null,
  };
  return {
    service: {
      id: 1,
      name: "Survival",
      status,
      java_hostname: "mc.example.com",
      origin_host: "192.0.2.1",
      origin_port: 25565,
      config_version: 3,
      error: null,
      created_at: 0,
      updated_at: 0,
    },
    relation: "owner",
    goesOn: new Map(unservedSince === undefined ? [] : [["unserved", unservedSince]]),
    wish,
    supportAccess: false,
    sendsRealIps: false,
    offlineText: null,
    wasFetched: true,
    newest: { configVersion: 3, isWithheld: false },
    nodes: versions.map((version, id) => ({ ...node, id, version })),
  };
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
