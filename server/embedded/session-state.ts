import { cString, message, readTags, textRows } from "./wire";

/** The session state that SQL can change. It is saved and restored for each client and hidden from the others. */
export class SessionState {
  /** Equal for states that are equal. */
  readonly key: string;

  /**
   * @param settings those that differ from the server's own, by name
   * @param prepared the statements that SQL's `PREPARE` has made: name and text
   */
  constructor(
    readonly settings: ReadonlyMap<string, string> = new Map(),
    readonly prepared: ReadonlyMap<string, string> = new Map(),
  ) {
    this.key = JSON.stringify([...settings, null, ...prepared]);
  }

  /** Queries that turn the session from `previous` to this state. Each succeeds or fails alone. */
  queriesFrom(previous: SessionState): Buffer {
    return Buffer.concat([
      query("reset session authorization; reset all"),
      ...[...previous.prepared.keys()].map((name) => query(`deallocate ${quoteName(name)}`)),
      ...[...this.settings].map(([name, value]) =>
        query(`select set_config(${quoteText(name)}, ${quoteText(value)}, false)`),
      ),
      ...[...this.prepared.values()].map(query),
    ]);
  }
}

/** What asks PostgreSQL for the state; settings with a dot in their name must be named. */
export function stateQuery(customSettings: Iterable<string>): Buffer {
  const names = [...customSettings].map(quoteText).join(", ");
  return query(`
    select 'setting', name, setting from pg_settings where source = 'session'
    union all select 'setting', name, current_setting(name, true) from unnest(array[${names}]::text[]) name
      where current_setting(name, true) <> ''
    union all select 'setting', 'session_authorization', session_user where session_user <> 'postgres'
    union all select 'setting', 'role', current_setting('role') where current_setting('role') <> 'none'
    union all select 'prepared', name, statement from pg_prepared_statements where from_sql
    union all select 'lock', '', '' from pg_locks where locktype = 'advisory'`);
}

/** The state that answers `stateQuery`, and whether an advisory lock is held. */
export function readState(answer: Uint8Array): { state: SessionState; hasLocks: boolean } {
  const rows = textRows(answer);
  const named = (kind: string) =>
    new Map(rows.flatMap(([of, name = "", value = ""]) => (of === kind ? [[name, value] as const] : [])));
  return {
    state: new SessionState(named("setting"), named("prepared")),
    hasLocks: rows.some(([kind]) => kind === "lock"),
  };
}

/** Command tags that may change the state. Functions can change it too, but no tag shows that. */
const CHANGING_TAGS = new Set(["SET", "RESET", "DISCARD", "DISCARD ALL", "PREPARE", "DEALLOCATE", "DEALLOCATE ALL"]);
const CHANGING_TEXT = /set_config|advisory|\bcall\s|\bdo\s+(?:language\b|\$|e?')/i;
const CUSTOM_SETTING = /(?:\bset\s+(?:session\s+)?|set_config\(\s*')([a-z_]\w*\.\w+)/gi;

/** Watches a client's queries and answers for signs that its session state changed. */
export class StateWatch {
  /** Names of settings that PostgreSQL does not list. */
  readonly customSettings = new Set<string>();
  /** Whether the client sent SQL that may change the session. A prepared statement can run again at any time. */
  #isAlwaysSuspect = false;
  #isSuspect = false;

  get isSuspect(): boolean {
    return this.#isSuspect || this.#isAlwaysSuspect;
  }

  asked(text: string): void {
    if (CHANGING_TEXT.test(text)) this.#isAlwaysSuspect = true;
    for (const [, name = ""] of text.matchAll(CUSTOM_SETTING)) this.customSettings.add(name.toLowerCase());
  }

  /** Says whether every prepared statement of the session is gone now. */
  answered(answer: Uint8Array): { droppedAll: boolean } {
    const tags = readTags(answer);
    if (tags.some((tag) => CHANGING_TAGS.has(tag))) this.#isSuspect = true;
    return { droppedAll: tags.includes("DISCARD ALL") || tags.includes("DEALLOCATE ALL") };
  }

  looked(): void {
    this.#isSuspect = false;
  }
}

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

function query(text: string): Buffer {
  return message("Q", cString(text));
}

function quoteText(text: string): string {
  return `E'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
