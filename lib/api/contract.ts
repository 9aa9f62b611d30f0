import { z } from "zod";
import { DAY, SECOND } from "@/lib/format/time";
import * as bodies from "./schemas";

const { CHECK_IN_SECONDS, INTERVAL_SECONDS } = bodies;
/** Intervals that one edge node reports in a week. */
export const INTERVALS_PER_WEEK = (7 * DAY) / (INTERVAL_SECONDS * SECOND);

/** The names of the `:parameters` of a path. */
type ParameterName<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParameterName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** One row of the contract: a request that can be made, and what a success holds. */
type Endpoint<Path> = {
  /** What generated clients call it. */
  name: string;
  /** The group under which documents list it. */
  group: "Account" | "Servers" | "Game services";
  /** What it is for, in a few words, as the landing page says it. */
  summary: string;
  /** What else a caller should know. Documents print these sentences. */
  details: string;
  /** What each `:parameter` of the path is. */
  params: Record<ParameterName<Path>, string>;
  /** The query parameters. All are optional; `default` applies when the parameter is absent. */
  query: Record<string, { schema: z.ZodType; default?: string; example: string | number }>;
  /** The largest answer that is usual: what it holds, and about how much JSON that is. */
  largest: { of: string; kilobytes: number };
  /** `data` of a success. */
  data: z.ZodType;
};

/** Every endpoint (contract 4), in its order. Types, pages, tests and documents read this table. */
export const CONTRACT = endpoints({
  "/api/v1/me": {
    name: "getAccount",
    group: "Account",
    summary: "Your account",
    details: "The account that the token acts as: a cheap way to find out whether a token works.",
    params: {},
    query: {},
    largest: { of: "one account", kilobytes: 0.2 },
    data: bodies.account,
  },
  "/api/v1/servers": {
    name: "listServers",
    group: "Servers",
    summary: "Every server with its health score",
    details: `The servers of the account, by id, in one answer. The scores are computed as the answer is made, all of them for the same moment. A daemon checks in every ${CHECK_IN_SECONDS} seconds, so asking more often than that shows nothing new.`,
    params: {},
    query: {},
    largest: { of: "1,000 servers", kilobytes: 150 },
    data: bodies.serverList,
  },
  "/api/v1/servers/:id": {
    name: "getServer",
    group: "Servers",
    summary: "One server, its latest sample and why it scores what it scores",
    details:
      "The six components and the weights reproduce the score exactly. Its notes say in words what costs points. `latest_sample` is null until the first sample has arrived.",
    params: { id: "The server's id" },
    query: {},
    largest: { of: "one server with few facts", kilobytes: 1.5 },
    data: bodies.serverDetail,
  },
  "/api/v1/servers/:id/benchmarks": {
    name: "listBenchmarks",
    group: "Servers",
    summary: "Finished benchmark runs, newest first",
    details: "Runs that are pending or running are not listed. A section that could not be measured is null.",
    params: { id: "The server's id" },
    query: {},
    largest: { of: "200 runs", kilobytes: 33 },
    data: bodies.benchmarkRuns,
  },
  "/api/v1/game-services": {
    name: "listGameServices",
    group: "Game services",
    summary: "Game-protection services you own or share",
    details: "The services that the account owns and those that were shared with it by a grant, by id.",
    params: {},
    query: {},
    largest: { of: "100 services", kilobytes: 23 },
    data: bodies.gameServiceList,
  },
  "/api/v1/game-services/:id": {
    name: "getGameService",
    group: "Game services",
    summary: "One game-protection service",
    details:
      "The same fields as in the list. Staff see a service that is not theirs when its owner switched on support access, granted it to them, or has an open ticket linked to it.",
    params: { id: "The service's id" },
    query: {},
    largest: { of: "one service", kilobytes: 0.3 },
    data: bodies.gameService,
  },
  "/api/v1/game-services/:id/metrics": {
    name: "getMetrics",
    group: "Game services",
    summary: "Its traffic, interval by interval, for an hour, a day or a week",
    details: `Intervals last ${INTERVAL_SECONDS} seconds, and each edge node reports its own. An answer is not divided into pages: a week of one node has up to ${INTERVALS_PER_WEEK.toLocaleString("en")} intervals. Compressed it is a sixth: ask with \`Accept-Encoding: gzip\`.`,
    params: { id: "The service's id" },
    query: {
      range: { schema: bodies.metricRange, default: "1h", example: "1h" },
      since: { schema: bodies.since, example: 1795171200000 },
    },
    largest: { of: "a week of five nodes", kilobytes: 5800 },
    data: bodies.metricSeries,
  },
});

export type EndpointPath = keyof typeof CONTRACT;

/** The parameters of a path as text, as they stand in it. */
export type Params<Path extends EndpointPath> = Record<ParameterName<Path>, string>;

/** `data` of a success of the endpoint. */
export type Data<Path extends EndpointPath> = z.infer<(typeof CONTRACT)[Path]["data"]>;

/** The size of the largest usual answer, for people: "about 5.8 MB for a week of five nodes". */
export function largestText({ of, kilobytes }: Endpoint<string>["largest"]): string {
  const size = kilobytes < 1000 ? `${kilobytes} KB` : `${kilobytes / 1000} MB`;
  return `about ${size} for ${of}`;
}

/** Every path with its row. */
export const ENDPOINTS = Object.entries(CONTRACT) as [EndpointPath, Endpoint<string>][];

/** The body of a success (contract 2). */
export function successBody(path: EndpointPath) {
  return z.strictObject({ data: CONTRACT[path].data });
}

/** Makes the compiler check that each row describes exactly the parameters in its path. */
function endpoints<const Rows extends { [Path in keyof Rows]: Endpoint<Path> }>(rows: Rows): Rows {
  return rows;
}
