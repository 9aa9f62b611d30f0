import { connect, isIPv6 } from "node:net";
import { join } from "node:path";
import { JOINS, RESPONDER, responderPath, slotName, socketPath } from "./haproxy-config.mjs";
import { RANGE_SIZE, SECOND, TOOL_TIME } from "./limits.mjs";
import { PlainError } from "./log.mjs";

/** @typedef {{ source: string, first: number }} Range An own ip, and the first port of a range, to leave from. */

/**
 * @typedef {{ service: number, ip: string, port: number, range: Range | null, isProxied?: boolean,
 *   drainedAt: number | null }} Server A server of HAProxy that this program added. One that is drained keeps its players and gets no new ones.
 */

/** @typedef {{ ip: string, port: number, isReady: boolean, isDrained: boolean }} FoundServer A server as HAProxy has it. */

/**
 * @typedef {{ sessions: number, attempts: number, failed: number, bytes: number, open: number, joins: number,
 *   players: number, waiting: number }} ServerCounters Counted by HAProxy since it started, but for `open`, `players` and
 *   `waiting`: sessions now, players now, and sessions that are about to be led to a server.
 */

/** The part of a server's state that says that its configuration disabled it at the start. It never goes away. */
const WAS_DISABLED = 4;
const IS_DRAINED = 8;

/** Asks a running HAProxy. Only numbers, checked hostnames and numeric ips are ever written to it. */
export class Haproxy {
  /** @param {string} runDir */
  constructor(runDir) {
    this.path = socketPath(runDir);
    this.responder = responderPath(runDir);
    this.map = join(runDir, "hosts.map");
  }

  /**
   * @param {string} command
   * @returns {Promise<string>}
   */
  ask(command) {
    return new Promise((resolve, reject) => {
      const socket = connect(this.path);
      let answer = "";
      socket.setEncoding("utf8");
      socket.setTimeout(TOOL_TIME, () =>
        socket.destroy(new Error(`HAProxy did not answer in ${TOOL_TIME / SECOND} s`)),
      );
      socket.on("connect", () => socket.write(`${command}\n`));
      socket.on("data", (chunk) => (answer += chunk));
      const fail = (/** @type {string} */ reason) =>
        reject(new PlainError(`HAProxy cannot be asked at ${this.path}: ${reason}`));
      socket.on("error", (error) => fail(error.message));
      socket.on("close", () => {
        // It ends what it shows by an empty line. Servers that were cut off would look as if they were gone.
        const isWhole = command.startsWith("show ") ? /(?:^|\n)\n$/.test(answer) : answer.endsWith("\n");
        if (isWhole) resolve(answer.trim());
        else fail("its answer was cut off");
      });
    });
  }

  /** The number of the HAProxy process: another one knows nothing of what was applied. */
  async processId() {
    return Number(/^Pid: (\d+)/m.exec(await this.ask("show info"))?.[1] ?? 0);
  }

  /** The servers as HAProxy has them, by their slot and name. */
  async servers() {
    /** @type {Map<number, Map<string, FoundServer>>} */
    const slots = new Map();
    // Its first line is a version.
    for (const values of rowsOf((await this.ask("show servers state")).replace(/^.*\n/, ""), " ")) {
      const slot = Number(/^slot_(\d+)$/.exec(values.be_name ?? "")?.[1] ?? 0);
      if (!slot) continue;
      const state = Number(values.srv_admin_state) & ~WAS_DISABLED;
      const servers = slots.get(slot) ?? new Map();
      const [ip, port] = [values.srv_addr ?? "", Number(values.srv_port)];
      servers.set(values.srv_name ?? "", { ip, port, isReady: state === 0, isDrained: state === IS_DRAINED });
      slots.set(slot, servers);
    }
    return slots;
  }

  /** Where each hostname leads: a slot, and before it what its players get instead of the origin. */
  async hostnames() {
    /** @type {Map<string, string>} */
    const hostnames = new Map();
    for (const row of (await this.ask(`show map ${this.map}`)).split("\n")) {
      const [, hostname, way] = /^0x[0-9a-f]+ (\S+) ((?:off_|kept_)?slot_\d+)$/.exec(row) ?? [];
      if (hostname && way) hostnames.set(hostname, way);
    }
    return hostnames;
  }

  /**
   * What each slot and each of its servers has counted, by `slot_1` and `slot_1/o1`, and what the frontend refused.
   * `joins`: whether HAProxy's configuration has them counted. `isAnswering`: whether it knows of this program's answers.
   */
  async counters() {
    /** @type {Map<string, ServerCounters>} */
    const counters = new Map();
    const joins = await this.#joins();
    let refused = 0;
    let isAnswering = false;
    let openOnServers = 0;
    for (const values of await this.#stat("")) {
      const { pxname = "", svname = "" } = values;
      if (pxname === "players") refused = Number(values.dreq) + Number(values.dcon);
      if (pxname === RESPONDER) isAnswering = true;
      if (!/^slot_\d+$/.test(pxname)) continue;
      const open = Number(values.scur);
      if (svname === "BACKEND") {
        const asked = joins?.get(pxname) ?? { joins: 0, players: 0 };
        const waiting = Math.max(0, open - openOnServers);
        counters.set(pxname, { ...NOTHING_COUNTED, sessions: Number(values.stot), open, waiting, ...asked });
        // The servers of a slot come before its sum.
        openOnServers = 0;
        continue;
      }
      openOnServers += open;
      counters.set(`${pxname}/${svname}`, {
        ...NOTHING_COUNTED,
        attempts: Number(values.stot),
        failed: Number(values.econ),
        bytes: Number(values.bin) + Number(values.bout),
        open,
      });
    }
    return { counters, refused, hasJoins: joins !== null, isAnswering };
  }

  /** The failed connections of each server since HAProxy started, and the bytes that came from it. */
  async failures() {
    /** @type {Map<string, { failed: number, bytes: number }>} */
    const failures = new Map();
    // Of servers alone: it is asked for twice a second.
    for (const { pxname, svname, econ, bout } of await this.#stat(" -1 4 -1")) {
      failures.set(`${pxname}/${svname}`, { failed: Number(econ), bytes: Number(bout) });
    }
    return failures;
  }

  /** @param {string} filter */
  async #stat(filter) {
    return rowsOf(await this.ask(`show stat${filter}`), ",");
  }

  /** The connections of each slot that asked to play, and those of them that are open. Null: an older configuration. */
  async #joins() {
    const answer = await this.ask(`show table ${JOINS}`);
    if (!answer.startsWith("# table")) return null;
    return new Map(
      Array.from(answer.matchAll(/ key=(slot_\d+) .*$/gm), ([row, slot = ""]) => {
        const value = (/** @type {string} */ name) => Number(new RegExp(` ${name}=(\\d+)`).exec(row)?.[1] ?? 0);
        return [slot, { joins: value("conn_cnt"), players: value("conn_cur") }];
      }),
    );
  }

  /** @param {string} hostname */
  forget(hostname) {
    return this.ask(`del map ${this.map} ${hostname}`);
  }

  /** @param {string} hostname @param {string} way */
  lead(hostname, way) {
    return this.ask(`add map ${this.map} ${hostname} ${way}`);
  }

  /** Changes what players of a hostname get, in one step. @param {string} hostname @param {string} way */
  leadAgain(hostname, way) {
    return this.ask(`set map ${this.map} ${hostname} ${way}`);
  }

  /**
   * Adds a server to a slot, which takes the slot's new players from now on. Its players leave from `range`, if any.
   * @param {number} slot
   * @param {string} name
   * @param {Pick<Server, "ip" | "port" | "range" | "isProxied">} server
   */
  async add(slot, name, { ip, port, range, isProxied }) {
    const proxy = isProxied ? " send-proxy-v2" : "";
    const source = range ? ` source ${endOf(range.source, range.first)}-${range.first + RANGE_SIZE - 1}` : "";
    const answer = await this.ask(`add server ${slotName(slot)}/${name} ${endOf(ip, port)}${source}${proxy}`);
    if (!answer.includes("registered")) throw new PlainError(`HAProxy did not take a server: ${answer.slice(0, 200)}`);
    await this.setState(slot, name, "ready");
  }

  /**
   * `ready`: a server takes new players. `drain`: it keeps those that it has. `maint`: it has none.
   * @param {number} slot
   * @param {string} name
   * @param {"ready" | "drain" | "maint"} state
   */
  async setState(slot, name, state) {
    await this.ask(`set server ${slotName(slot)}/${name} state ${state}`);
  }

  /** Closes a server and its players. @param {number} slot @param {string} name */
  async close(slot, name) {
    await this.setState(slot, name, "maint");
    await this.ask(`shutdown sessions server ${slotName(slot)}/${name}`);
  }

  /** Deletes a server that has no players. @param {number} slot @param {string} name */
  async remove(slot, name) {
    await this.setState(slot, name, "maint");
    await this.ask(`del server ${slotName(slot)}/${name}`);
  }
}

/** The rows of a table whose first line names the columns. @param {string} table @param {string} separator */
function rowsOf(table, separator) {
  const [header = "", ...rows] = table.split("\n");
  const names = header.replace(/^# /, "").split(separator);
  return rows.map((row) => Object.fromEntries(row.split(separator).map((value, index) => [names[index], value])));
}

/** @param {string} ip @param {number} port */
const endOf = (ip, port) => (isIPv6(ip) ? `[${ip}]:${port}` : `${ip}:${port}`);

/** What a server has counted that has just been added. */
export const NOTHING_COUNTED = {
  sessions: 0,
  attempts: 0,
  failed: 0,
  bytes: 0,
  open: 0,
  joins: 0,
  players: 0,
  waiting: 0,
};
