/**
 * @typedef {{ packets: number, bytes: number, dropped: number, connections: number, joins: number, pings: number,
 *   answered: number, players: number }} Counters `joins`, `pings`: connections to the origin that asked to play, and for the
 *   status. `answered`: status pings that this node answered itself. `players`: now.
 */

/**
 * @typedef {{ packets: number, bytes: number, dropped: number, connections: number, joins?: number, pings?: number,
 *   answered?: number, players?: number, service_id: number, ts: number, latency_ms: number | null }} Interval
 */

/** @typedef {{ ts: number, refused: number }} NodeMinute What a node refused in a minute that belongs to no service. */

/** What a service had in a minute that has just begun. */
export const NOTHING = {
  packets: 0,
  bytes: 0,
  dropped: 0,
  connections: 0,
  joins: 0,
  pings: 0,
  answered: 0,
  players: 0,
};

/** A counter that went back has started anew. @param {number} now @param {number} before */
export const difference = (now, before) => (now < before ? now : now - before);

/** What all services had together. @param {Iterable<Counters>} all */
export function sum(all) {
  const total = { ...NOTHING };
  for (const counters of all) {
    for (const name of /** @type {const} */ (["packets", "bytes", "dropped", "connections"])) {
      total[name] += counters[name];
    }
  }
  return total;
}
