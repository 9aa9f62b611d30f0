/** What an edge node counts of a service in each interval. */
export type Counter = "packets" | "bytes" | "dropped" | "connections";
export const COUNTERS: readonly Counter[] = ["connections", "packets", "bytes", "dropped"];

/**
 * What each value of an interval means. The API's document, the reference, the clients, the help of /metrics, the page of a
 * service and docs/edge.md say it in these words.
 */
export const MEANINGS: Readonly<Record<Counter | "latency", string>> = {
  connections: "Sessions of players that reached the origin",
  packets: "Packets between edge node and origin, both ways",
  bytes: "Bytes between players and edge node, both ways",
  dropped: "Sessions that did not reach the origin: above a limit, or it could not be reached",
  latency: "Time that the origin took to answer a status ping of the edge node",
};
