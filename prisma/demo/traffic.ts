import { MINUTE } from "@/lib/format/time";
import type { Interval } from "@/lib/game-services/metrics";
import { EDGE_NODES, type EdgeNode, type Traffic } from "@/prisma/demo/data";
import { between, episodeAt, eveningAt, type Range, randomAt, wanderAt } from "@/prisma/demo/random";

// Times are in minutes since the epoch, as every interval is one minute long.

/** Now and then an edge node is down, for all services at once. */
const NODE_DOWN = { slot: 24 * 60, chance: 0.45, lasts: [4, 26] } as const;
/** Now and then an edge node cannot measure the latency to one origin for a while. */
const PROBE_DOWN = { slot: 12 * 60, chance: 0.3, lasts: [15, 80] } as const;
const ATTACK = { slot: 4 * 60, lasts: [4, 38] } as const;

/** How likely one interval alone is lost, or has no latency. */
const INTERVAL_LOST = 0.002;
const LATENCY_MISSED = 0.02;

const PACKETS_PER_PLAYER: Range = [2_050, 2_550];
const BYTES_PER_PACKET: Range = [128, 176];
/** The share of them that join. */
const JOINS = 0.3;
/** The share of sessions that is dropped while there is no attack. */
const DROPPED: Range = [0, 0.02];
/** Joins and pings of the server list, per player online. */
const CONNECTIONS_PER_PLAYER: Range = [0.2, 0.5];

/** Sessions per minute at the height of an attack, of which a few reach the origin. */
const ATTACK_SESSIONS: Range = [4e4, 9e5];
const BYTES_PER_ATTACK_SESSION: Range = [58, 96];
const ATTACK_DROPPED: Range = [0.991, 0.9998];
const PACKETS_PER_ATTACK_SESSION = 8;
/** The share of an attack that hits its main edge node. */
const ATTACK_FOCUS = 0.8;

/** One number per use of chance, so that no two move alike. */
const USE = {
  nodeDown: 1,
  probeDown: 2,
  lost: 3,
  missed: 4,
  crowd: 5,
  jitter: 6,
  connections: 7,
  sizes: 8,
  drops: 9,
  packets: 10,
};
const ATTACK_USE = { begins: 20, size: 21, focus: 22, jitter: 23 };

type Source = {
  serviceId: number;
  /** Stands for the service wherever chance decides: ids differ from database to database. */
  key: number;
  traffic: Traffic;
};

/** Whether an edge node is down, for all services at once. */
export function isNodeDownAt(node: EdgeNode, minute: number): boolean {
  return episodeAt(NODE_DOWN, minute, node.id, USE.nodeDown) !== null;
}

/** What an edge node counted for a service in a minute; null when the node reported nothing. Always the same. */
export function intervalAt({ serviceId, key, traffic }: Source, node: EdgeNode, minute: number): Interval | null {
  const chance = (use: number) => randomAt(key, node.id, use, minute);
  if (isNodeDownAt(node, minute) || chance(USE.lost) < INTERVAL_LOST) return null;

  const crowd =
    between([0.7, 1.1], wanderAt(minute, 45, key, node.id, USE.crowd)) * between([0.96, 1.04], chance(USE.jitter));
  const players = Math.round(traffic.players * node.share * activityAt(minute + node.utcOffset * 60) * crowd);
  const packets = players * between(PACKETS_PER_PLAYER, chance(USE.packets));
  const joined = players * between(CONNECTIONS_PER_PLAYER, chance(USE.connections));
  const attack = attackAt(traffic, node, key, minute);
  const passed = attack * (1 - between(ATTACK_DROPPED, chance(USE.drops)));
  const joins = Math.round(joined * JOINS + passed);
  const pings = Math.round(joined * (1 - JOINS));
  const isLatencyMeasured =
    players > 0 && chance(USE.missed) >= LATENCY_MISSED && !episodeAt(PROBE_DOWN, minute, key, node.id, USE.probeDown);
  return {
    serviceId,
    ts: minute * MINUTE,
    nodeId: node.id,
    packets: Math.round(packets + passed * PACKETS_PER_ATTACK_SESSION),
    bytes: Math.round(
      packets * between(BYTES_PER_PACKET, chance(USE.sizes)) +
        attack * between(BYTES_PER_ATTACK_SESSION, chance(USE.sizes)),
    ),
    dropped: Math.round(joined * between(DROPPED, chance(USE.drops)) + attack - passed),
    connections: joins + pings,
    joins,
    pings,
    answered: 0,
    players,
    latencyMs: isLatencyMeasured ? latencyAt(node, attack, chance(USE.jitter)) : null,
  };
}

/** How many of the most players are online, 0 to 1: few at night, most in the evening, and more at the weekend. */
function activityAt(localMinute: number): number {
  // The epoch was a Thursday.
  const weekday = (Math.floor(localMinute / (24 * 60)) + 4) % 7;
  const isWeekend = weekday === 0 || weekday === 6;
  return (0.05 + 0.95 * eveningAt((localMinute / 60) % 24) ** 1.6) * (isWeekend ? 1 : 0.8);
}

/** Sessions of an attack that come to a node in a minute; 0 in peace. */
function attackAt({ attackChance }: Traffic, node: EdgeNode, key: number, minute: number): number {
  const attack = episodeAt({ ...ATTACK, chance: attackChance }, minute, key, ATTACK_USE.begins);
  if (!attack) return 0;
  const ofThisAttack = (use: number) => randomAt(key, use, attack.slot);
  const size = between(ATTACK_SESSIONS, ofThisAttack(ATTACK_USE.size) ** 2);
  const isFocus = node === EDGE_NODES[Math.floor(ofThisAttack(ATTACK_USE.focus) * EDGE_NODES.length)];
  // Steep at both ends, with a plateau between them.
  const height = Math.sin(Math.PI * attack.part) ** 0.4;
  const jitter = between([0.85, 1], randomAt(key, node.id, ATTACK_USE.jitter, minute));
  return size * height * jitter * (isFocus ? ATTACK_FOCUS : (1 - ATTACK_FOCUS) / (EDGE_NODES.length - 1));
}

/** Milliseconds, with two decimals. An attack fills the queues of the node. */
function latencyAt({ latencyMs }: EdgeNode, attack: number, chance: number): number {
  const ms = latencyMs * between([0.97, 1.09], chance) + between([0.2, 2.4], chance) + 30 * Math.min(1, attack / 5e5);
  return Math.round(ms * 100) / 100;
}
