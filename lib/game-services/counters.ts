/** What an edge node counts of a service in each interval. */
export type Counter = "packets" | "bytes" | "dropped" | "connections";
export const COUNTERS: readonly Counter[] = ["connections", "packets", "bytes", "dropped"];
