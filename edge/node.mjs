import { now, startOfMinute } from "./clock.mjs";
import { Refusal } from "./console.mjs";
import { NOTHING } from "./intervals.mjs";
import { SPOOL_TIME } from "./limits.mjs";
import { log, logFailure, messageOf } from "./log.mjs";
import { Names } from "./names.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Acknowledgement, Console } from "./console.mjs" */
/** @import { Haproxy, Server, ServerCounters } from "./haproxy.mjs" */
/** @import { Counters, Interval, NodeMinute } from "./intervals.mjs" */
/** @import { Served, Wanted } from "./judge.mjs" */
/** @import { Answers } from "./ping.mjs" */
/** @import { Statuses } from "./statuses.mjs" */
/** @import { Store } from "./store.mjs" */

/** What a node serves, has counted and has told, and how that is kept over a restart. */
export class Node {
  /** @type {Configuration | null} */
  configuration = null;
  /** @type {string | null} */
  etag = null;
  /** The service that each slot belongs to. @type {Map<number, { service: number }>} */
  slots = new Map();
  /** The last version of each service that worked. @type {Map<number, Served>} */
  served = new Map();
  /** The servers that were added to HAProxy, by `slot_1/o1`. @type {Map<string, Server>} */
  servers = new Map();
  /** The number of the server that was added last. */
  lastServer = 0;
  names = new Names();
  /** When a slot was left, as `performance.now()`. @type {Map<number, number>} */
  leftAt = new Map();
  /** Beginning of the minute that is being counted. */
  minute = 0;
  /** The minute whose pings have begun. */
  pinged = 0;
  /** What each service had in this minute. @type {Map<number, Counters>} */
  current = new Map();
  /** @type {Map<string, ServerCounters>} */
  counters = new Map();
  /** What is to be taken from the next numbers of a service. @type {Map<number, { connections: number, dropped: number, pings: number }>} */
  owed = new Map();
  /** @type {Map<number, number>} */
  packetCounters = new Map();
  /** @type {Map<number, number | null>} */
  latencies = new Map();
  /** How the origin of each service answers status pings. @type {Map<number, Answers>} */
  answers = new Map();
  /** @type {Interval[]} */
  spool = [];
  /** What this node refused in this minute that belongs to no service, and HAProxy's counter of it. */
  refused = 0;
  refusedBefore = 0;
  /** @type {NodeMinute[]} */
  nodeSpool = [];
  /** Whether HAProxy's configuration has joins counted, and knows of this program's answers. */
  hasJoins = false;
  isAnswering = false;
  /** @type {Statuses} */
  statuses;
  /** Services whose origin is away. `reachedAt`: since when it is reached but answers no ping, as `performance.now()`. @type {Map<number, { reachedAt: number | null }>} */
  away = new Map();
  /** How often players could not be connected in a row, by `slot_1/o1`. @type {Map<string, { failed: number, bytes: number, inARow: number }>} */
  failures = new Map();
  /** Origins that are asked now with a version of the protocol that a client brought. @type {Set<string>} */
  learning = new Set();
  /** Services that were applied once, and those of them that are gone. @type {Set<number>} */
  applied = new Set();
  /** @type {Set<number>} */
  gone = new Set();
  /** What is true now, by service. @type {Map<number, Acknowledgement>} */
  acknowledgements = new Map();
  /** What the console was told, by service. @type {Map<number, string>} */
  told = new Map();
  /** @type {Wanted[]} */
  wanted = [];
  haproxyId = 0;
  isReachable = true;
  lastMinute = { ...NOTHING };
  stop = new AbortController();
  /** Changes of HAProxy come one after the other. @type {Promise<unknown>} */
  work = Promise.resolve();

  /** @param {{ haproxy: Haproxy, console: Console, store: Store, allowPrivate: boolean, listenPort: number }} parts */
  constructor({ haproxy, console, store, allowPrivate, listenPort }) {
    this.haproxy = haproxy;
    this.console = console;
    this.store = store;
    this.allowPrivate = allowPrivate;
    this.listenPort = listenPort;
    this.statuses = store.readStatuses();
  }

  load() {
    const state = this.store.read();
    this.minute = startOfMinute(now());
    this.configuration = state.configuration ?? null;
    this.etag = state.etag ?? null;
    this.slots = new Map(state.slots);
    this.served = new Map(state.served);
    this.servers = new Map(state.servers);
    this.lastServer = state.lastServer ?? 0;
    this.counters = new Map(state.counters);
    this.packetCounters = new Map(state.packetCounters);
    this.spool = state.spool ?? [];
    this.refused = state.refused ?? 0;
    this.hasJoins = state.hasJoins ?? false;
    this.refusedBefore = state.refusedBefore ?? 0;
    this.nodeSpool = state.nodeSpool ?? [];
    this.applied = new Set(state.applied);
    this.gone = new Set(state.gone);
    const current = new Map(state.current);
    if (state.minute === this.minute) this.current = current;
    else if (state.minute) this.closeMinute(state.minute, current);
  }

  save() {
    this.store.write({
      configuration: this.configuration,
      etag: this.etag,
      slots: [...this.slots],
      served: [...this.served],
      servers: [...this.servers],
      lastServer: this.lastServer,
      minute: this.minute,
      current: [...this.current],
      counters: [...this.counters],
      packetCounters: [...this.packetCounters],
      spool: this.spool,
      hasJoins: this.hasJoins,
      refused: this.refused,
      refusedBefore: this.refusedBefore,
      nodeSpool: this.nodeSpool,
      applied: [...this.applied],
      gone: [...this.gone],
    });
  }

  /**
   * @template Result
   * @param {() => Promise<Result>} task
   * @returns {Promise<Result>}
   */
  inOrder(task) {
    const done = this.work.then(task);
    this.work = done.catch(() => {});
    return done;
  }

  /** A client that this node answered itself. @param {number} service @param {"answered" | "dropped"} name */
  count(service, name) {
    const of = this.current.get(service) ?? { ...NOTHING };
    this.current.set(service, { ...of, [name]: of[name] + 1 });
  }

  /**
   * Puts a minute that is over into the spool.
   * @param {number} ts
   * @param {ReadonlyMap<number, Counters>} counters
   */
  closeMinute(ts, counters) {
    for (const [id, { packets, bytes, dropped, connections, ...values }] of counters) {
      const latency = this.latencies.get(id);
      this.spool.push({
        service_id: id,
        ts,
        packets,
        bytes,
        dropped,
        connections,
        ...(this.hasJoins && values),
        latency_ms: latency == null ? null : Math.round(latency * 100) / 100,
      });
    }
    const oldest = now() - SPOOL_TIME;
    this.spool = this.spool.filter((interval) => interval.ts >= oldest);
    if (this.hasJoins) this.nodeSpool.push({ ts, refused: this.refused });
    this.nodeSpool = this.nodeSpool.filter((minute) => minute.ts >= oldest);
    this.refused = 0;
  }

  reached() {
    if (!this.isReachable) log("The console is reachable again.");
    this.isReachable = true;
  }

  /** @param {unknown} error */
  failed(error) {
    if (this.stop.signal.aborted) return;
    if (this.isReachable || error instanceof Refusal) logFailure(`${messageOf(error)} What is served stays as it is.`);
    this.isReachable = false;
  }
}
