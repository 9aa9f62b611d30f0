import type { PGlite } from "@electric-sql/pglite";
import type { ClientStatements } from "./statements";
import { message, ProtocolError, readyState } from "./wire";

const SYNC = message("S");

type Texts = ReadonlyMap<string, string>;

/** What SQL can change in a session, and what is hidden from other clients. */
class SessionState {
  /** Equal for states that are equal. */
  readonly key: string;

  /**
   * @param settings those that differ from the server's own, by name
   * @param prepared the statements that SQL's `PREPARE` has made: name and text
   */
  constructor(
    readonly settings: Texts = new Map(),
    readonly prepared: Texts = new Map(),
  ) {
    this.key = JSON.stringify([...settings, null, ...prepared]);
  }
}

/** SQL that may change the state. Functions can change it too, but no text shows that. */
const CHANGING =
  /(?:^(?:\s*--.*\n)*|;|\*\/)\s*(?:set|reset|discard|prepare|deallocate)\b|set_config|advisory|\bcall\s|\bdo\s+(?:language\b|\$|e?')/i;
const CUSTOM_SETTING = /(?:\bset\s+(?:session\s+)?|set_config\(\s*')([a-z_]\w*\.\w+)/gi;
const DROPPING_ALL = /(?:^|;)\s*(?:discard|deallocate(?:\s+prepare)?)\s+all\b/i;

/** What the session must know of a client while others use it. */
export class SessionClient {
  state = new SessionState();
  /** Names of settings that PostgreSQL does not list. */
  readonly customSettings = new Set<string>();
  /** Whether its SQL may have changed the state: this time, or any time, since a prepared statement can run again. */
  isSuspect = false;
  isAlwaysSuspect = false;
  isDroppingAll = false;
  /** How often all statements of the session had been dropped when its own were prepared last. */
  dropsSeen = 0;

  constructor(readonly statements: ClientStatements) {}

  /** Looks for signs in SQL that it changes the state. */
  asks(text: string, isPrepared: boolean): void {
    if (CHANGING.test(text)) this[isPrepared ? "isAlwaysSuspect" : "isSuspect"] = true;
    if (DROPPING_ALL.test(text)) this.isDroppingAll = true;
    for (const [, name = ""] of text.matchAll(CUSTOM_SETTING)) this.customSettings.add(name.toLowerCase());
  }
}

/** PGlite has crashed or stopped answering. It cannot be restarted, so every client is disconnected. */
export class DatabaseFailure extends Error {
  override name = "DatabaseFailure";
}

/** Shares PGlite's only session. Clients use it one at a time, first come first served; each finds its own state. */
export class Session {
  readonly #waiting: (() => void)[] = [];
  #holder: object | null = null;
  /** The current state of the session. */
  #state = new SessionState();
  #drops = 0;

  constructor(readonly db: PGlite) {}

  isHeldBy(client: object): boolean {
    return this.#holder === client;
  }

  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits for the session. The caller holds it until `leave`. */
  async enter(client: object): Promise<void> {
    if (this.#holder !== null && this.#holder !== client) {
      await new Promise<void>((proceed) => this.#waiting.push(proceed));
    }
    this.#holder = client;
  }

  leave(): void {
    const next = this.#waiting.shift();
    // Nobody may come in between.
    this.#holder = next ?? null;
    next?.();
  }

  /**
   * Has PostgreSQL answer messages of the client that holds the session. Releases the session unless a transaction or a
   * lock is open. `isWhole`: whether the answer ends with ReadyForQuery. @throws DatabaseFailure
   */
  async exchange(client: SessionClient, bytes: Buffer, isWhole: boolean): Promise<Uint8Array> {
    await this.#restore(client);
    const answer = await this.#send(bytes, isWhole);
    if (client.isDroppingAll) {
      client.isDroppingAll = false;
      client.statements.clear();
      client.dropsSeen = ++this.#drops;
    }
    if (readyState(answer) !== "I") return answer;
    const replaced = client.statements.closeReplaced();
    if (replaced) await this.#send(replaced);
    if (!(await this.#isKeptBy(client))) this.leave();
    return answer;
  }

  /** Applies the settings with which a client begins. @throws ProtocolError in PostgreSQL's words, DatabaseFailure */
  async begin(client: SessionClient, settings: Texts): Promise<void> {
    await this.enter(client);
    try {
      client.dropsSeen = this.#drops;
      client.state = new SessionState(settings);
      const [error] = await this.#restore(client);
      if (error) throw new ProtocolError(error, "22023");
      client.isSuspect = true;
      await this.#isKeptBy(client);
    } finally {
      this.leave();
    }
  }

  /** Cleans up after a client that left: its transaction, locks and prepared statements. @throws DatabaseFailure */
  async forget(client: SessionClient): Promise<void> {
    if (!this.isHeldBy(client) && client.statements.isEmpty) return;
    await this.enter(client);
    await this.#send(SYNC);
    await this.#tell("rollback; select pg_advisory_unlock_all()");
    await this.#send(client.statements.closeAll());
    this.leave();
  }

  /** Restores the client's state and statements. Each setting succeeds or fails alone; answers what failed. */
  async #restore(client: SessionClient): Promise<string[]> {
    if (client.dropsSeen !== this.#drops) {
      client.dropsSeen = this.#drops;
      if (!client.statements.isEmpty) await this.#send(client.statements.restoreAll());
    }
    if (client.state.key === this.#state.key) return [];
    await this.#tell("reset session authorization; reset all");
    for (const name of this.#state.prepared.keys()) await this.#tell(`deallocate "${name.replaceAll('"', '""')}"`);
    const errors: (string | null)[] = [];
    for (const setting of client.state.settings) {
      errors.push(await this.#tell("select set_config($1, $2, false)", setting));
    }
    for (const text of client.state.prepared.values()) await this.#tell(text);
    this.#state = client.state;
    return errors.filter((error) => error !== null);
  }

  /** Records the client's state. True if it holds an advisory lock and must keep the session. */
  async #isKeptBy(client: SessionClient): Promise<boolean> {
    if (!client.isSuspect && !client.isAlwaysSuspect) return false;
    client.isSuspect = false;
    const asked = this.db.query<{ kind: string; name: string; value: string }>(STATE, [[...client.customSettings]]);
    const { rows } = await asked.catch(() => ({ rows: [] }));
    const named = (kind: string) =>
      new Map(rows.flatMap((row) => (row.kind === kind ? [[row.name, row.value] as const] : [])));
    client.state = new SessionState(named("setting"), named("prepared"));
    this.#state = client.state;
    return named("lock").size > 0;
  }

  /** Runs one of our own statements. Answers PostgreSQL's error, or null. */
  async #tell(sql: string, parameters?: readonly string[]): Promise<string | null> {
    try {
      await (parameters ? this.db.query(sql, [...parameters]) : this.db.exec(sql));
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #send(bytes: Buffer, isWhole = true): Promise<Uint8Array> {
    let answer: Uint8Array;
    try {
      answer = await this.db.execProtocolRaw(bytes);
    } catch (error) {
      throw new DatabaseFailure(`PGlite has ended: ${error instanceof Error ? error.message : error}`);
    }
    // WebAssembly can crash without throwing. PGlite then returns an incomplete answer.
    if (isWhole && readyState(answer) === null) throw new DatabaseFailure("PGlite answers no more");
    return answer;
  }
}

/** Settings with a dot in their name must be named. */
const STATE = `
  select 'setting' as kind, name, setting as value from pg_settings where source = 'session'
  union all select 'setting', name, current_setting(name, true) from unnest($1::text[]) name
    where current_setting(name, true) <> ''
  union all select 'setting', 'session_authorization', session_user where session_user <> 'postgres'
  union all select 'setting', 'role', current_setting('role') where current_setting('role') <> 'none'
  union all select 'prepared', name, statement from pg_prepared_statements where from_sql
  union all select 'lock', '', '' from pg_locks where locktype = 'advisory'`;

/** Settings in the startup packet: all parameters except those of the protocol itself. */
export function startupSettings(body: Buffer): Map<string, string> {
  const fields = body.toString("utf8").split("\0");
  const settings = new Map<string, string>();
  for (let i = 0; i + 1 < fields.length && fields[i]; i += 2) {
    const [name = "", value = ""] = [fields[i], fields[i + 1]];
    if (name === "options") {
      for (const [, option = "", setting = ""] of value.matchAll(/(?:-c\s*|--)([\w.-]+)=((?:\\.|\S)*)/g)) {
        settings.set(option.replaceAll("-", "_"), setting.replace(/\\(.)/g, "$1"));
      }
    } else if (!["user", "database", "replication"].includes(name) && !name.startsWith("_pq_.")) {
      settings.set(name, value);
    }
  }
  return settings;
}
