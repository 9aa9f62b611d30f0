import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { log, logFailure, messageOf, PlainError } from "./log.mjs";
import { Statuses } from "./statuses.mjs";

/** @import { Configuration } from "./configuration.mjs" */
/** @import { Server, ServerCounters } from "./haproxy.mjs" */
/** @import { Counters, Interval, NodeMinute } from "./intervals.mjs" */
/** @import { Served } from "./judge.mjs" */

/** The files of a node: the last configuration, what each slot is used for, and what is not delivered yet. */
export class Store {
  /** @param {string} dir */
  constructor(dir) {
    this.file = join(dir, "edge.json");
    this.statusesFile = join(dir, "statuses.json");
    try {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
    } catch (error) {
      throw new PlainError(`The folder ${dir} cannot be made: ${messageOf(error)}. Name another one with --state-dir.`);
    }
  }

  /** @returns {Partial<State>} */
  read() {
    return this.#read(this.file) ?? {};
  }

  /** The answers of origins to status pings. @returns {Statuses} */
  readStatuses() {
    try {
      return new Statuses(this.#read(this.statusesFile) ?? []);
    } catch {
      log(`${this.statusesFile} cannot be read; starting without it.`);
      return new Statuses([]);
    }
  }

  /** @param {Statuses} statuses */
  async writeStatuses(statuses) {
    try {
      await writeFile(`${this.statusesFile}.new`, JSON.stringify(statuses), { mode: 0o600 });
      await rename(`${this.statusesFile}.new`, this.statusesFile);
    } catch (error) {
      logFailure(error, `${this.statusesFile} cannot be written: `);
    }
  }

  /** @param {string} file */
  #read(file) {
    if (!existsSync(file)) return null;
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch {
      log(`${file} cannot be read; starting without it.`);
      return null;
    }
  }

  /** @param {State} state */
  write(state) {
    try {
      writeFileSync(`${this.file}.new`, JSON.stringify(state), { mode: 0o600 });
      renameSync(`${this.file}.new`, this.file);
    } catch (error) {
      logFailure(error, `${this.file} cannot be written: `);
    }
  }
}

/**
 * @typedef {{
 *   configuration: Configuration | null,
 *   etag: string | null,
 *   slots: [number, { service: number }][],
 *   served: [number, Served][],
 *   servers: [string, Server][],
 *   lastServer: number,
 *   minute: number,
 *   current: [number, Counters][],
 *   counters: [string, ServerCounters][],
 *   packetCounters: [number, number][],
 *   spool: Interval[],
 *   hasJoins: boolean,
 *   refused: number,
 *   refusedBefore: number,
 *   nodeSpool: NodeMinute[],
 *   applied: number[],
 *   gone: number[],
 * }} State
 */
