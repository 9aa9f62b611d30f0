import { spawn } from "node:child_process";
import { isIPv6 } from "node:net";
import { MINUTE, PING_PORTS, RANGE_SIZE, SECOND, TOOL_TIME } from "./limits.mjs";
import { messageOf, PlainError } from "./log.mjs";

/** @import { Server } from "./haproxy.mjs" */

/** The table of nftables in which packets are counted. */
const NFT_TABLE = "inet console_edge";

const SILENT = `nft did not answer in ${TOOL_TIME / SECOND} s`;
/** Until then one that did not answer is not asked again, as `performance.now()`. */
let silentUntil = 0;

/**
 * Runs nft. @throws PlainError with what it said
 * @param {string[]} args
 * @param {string} [input]
 * @returns {Promise<string>}
 */
function nft(args, input = "") {
  return new Promise((resolve, reject) => {
    if (performance.now() < silentUntil) return reject(new PlainError(SILENT));
    const child = spawn("nft", args, { stdio: "pipe" });
    // It may not even end; the rest of the work goes on.
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      silentUntil = performance.now() + MINUTE;
      reject(new PlainError(SILENT));
    }, TOOL_TIME);
    let [output, problem] = ["", ""];
    child.stdout.on("data", (chunk) => (output += chunk));
    child.stderr.on("data", (chunk) => (problem += chunk));
    child.stdin.on("error", () => {});
    child.on("error", (error) => reject(new PlainError(`nft cannot be run: ${error.message}`)));
    child.on("close", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(output);
      else reject(new PlainError(`nft failed: ${problem.trim().split("\n")[0] || code}`));
    });
    child.stdin.end(input);
  });
}

/**
 * Counts the packets between this machine and the origins, both ways. @throws PlainError where that cannot be had: a
 * guess is no counter.
 */
export async function preparePacketCounters() {
  try {
    await makeRules();
  } catch (error) {
    throw new PlainError(`Packets cannot be counted here, so this node does not start: ${messageOf(error)}.`);
  }
}

/** Makes the rules anew, whatever is there: somebody else may have flushed them. Counters that are there go on. */
async function makeRules() {
  const { first, last } = PING_PORTS;
  const maps = [4, 6].flatMap((version) => [
    `origins${version} { type ipv${version}_addr . inet_service : counter; }`,
    `ranges${version} { type ipv${version}_addr . inet_service . inet_service : counter; flags interval; }`,
  ]);
  const lines = [`add table ${NFT_TABLE}`, ...maps.map((map) => `add map ${NFT_TABLE} ${map}`)];
  for (const [chain, own, end] of [
    ["output", "sport", "daddr . tcp dport"],
    ["input", "dport", "saddr . tcp sport"],
  ]) {
    const count = (/** @type {string} */ ip, /** @type {number} */ version) => [
      `add rule ${NFT_TABLE} ${chain} counter name ${ip} ${end} . tcp ${own} map @ranges${version} return`,
      `add rule ${NFT_TABLE} ${chain} counter name ${ip} ${end} map @origins${version}`,
    ];
    lines.push(
      `add chain ${NFT_TABLE} ${chain} { type filter hook ${chain} priority 0; policy accept; }`,
      `flush chain ${NFT_TABLE} ${chain}`,
      `add rule ${NFT_TABLE} ${chain} tcp ${own} ${first}-${last} return`,
      ...count("ip", 4),
      ...count("ip6", 6),
    );
  }
  await nft(["-f", "-"], `${lines.join("\n")}\n`);
}

/** The packets counted for each service, and which ip, port and range of own ports each counts for. */
export async function readPackets() {
  /** @type {Map<number, number>} */
  const packets = new Map();
  /** @type {Map<string, number>} */
  const origins = new Map();
  /** @type {{ nftables: { counter?: { name: string, packets: number }, map?: { elem?: [{ concat: [string, number, { range: [number, number] }?] }, string][] } }[] }} */
  const { nftables } = JSON.parse(await nft(["-j", "list", "table", ...NFT_TABLE.split(" ")]));
  for (const { counter, map } of nftables) {
    const id = Number(/^service_(\d+)$/.exec(counter?.name ?? "")?.[1] ?? 0);
    if (counter && id) packets.set(id, counter.packets);
    for (const [{ concat }, name] of map?.elem ?? []) {
      const [ip, port, own] = concat;
      origins.set(originKey(ip, port, own?.range[0]), Number(name.replace("service_", "")));
    }
  }
  return { packets, origins };
}

/**
 * Counts for exactly these servers from now on, each for its service. A service that is gone loses its counter.
 * @param {readonly Server[]} servers
 */
export async function setPacketCounters(servers) {
  await makeRules();
  const { packets, origins } = await readPackets();
  const target = new Map(servers.map(({ service, ip, port, range }) => [originKey(ip, port, range?.first), service]));
  const lines = [];
  const element = (/** @type {string} */ key) => {
    const [ip = "", port, first] = key.split(" ");
    const kind = first ? "ranges" : "origins";
    const own = first ? ` . ${first}-${Number(first) + RANGE_SIZE - 1}` : "";
    return { map: `${kind}${isIPv6(ip) ? 6 : 4}`, text: `${ip} . ${port}${own}` };
  };
  for (const [key, id] of origins) {
    if (target.get(key) === id) continue;
    const { map, text } = element(key);
    lines.push(`delete element ${NFT_TABLE} ${map} { ${text} }`);
  }
  const kept = new Set(target.values());
  for (const id of kept) if (!packets.has(id)) lines.push(`add counter ${NFT_TABLE} service_${id}`);
  for (const [key, id] of target) {
    if (origins.get(key) === id) continue;
    const { map, text } = element(key);
    lines.push(`add element ${NFT_TABLE} ${map} { ${text} : "service_${id}" }`);
  }
  for (const id of packets.keys()) if (!kept.has(id)) lines.push(`delete counter ${NFT_TABLE} service_${id}`);
  if (lines.length > 0) await nft(["-f", "-"], `${lines.join("\n")}\n`);
}

/**
 * How an origin is called, or the way to it from a range of own ports.
 * @param {string} ip
 * @param {number} port
 * @param {number} [first] the first own port of a range
 */
export const originKey = (ip, port, first) => (first ? `${ip} ${port} ${first}` : `${ip} ${port}`);
