import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { connectionConfig } from "@/lib/database/connection";
import { PlainError } from "@/lib/failures";
import { MINUTE, SECOND } from "@/lib/format/time";

/** How long a quick step waits for one lock (ms). Requests that come after it wait behind it for as long. */
const LOCK_TIMEOUT = 100;
/** How long a step is tried again in all, and the pauses between the attempts: they double. */
const PATIENCE = 10 * MINUTE;
const PAUSE = { first: LOCK_TIMEOUT, longest: 10 * SECOND };
/** A step that took longer than this may have held up others (ms). */
const NOTICED = LOCK_TIMEOUT / 2;
/** How often a waiting step looks for who holds the lock, and how often a long one does. */
const LOOK_EVERY = { quick: 20, long: 5 * SECOND };
/** How long somebody else may hold up a step before a line says so. */
const SILENCE = 5 * SECOND;

/** Prisma's own key: its commands and this one exclude each other. */
const ADVISORY_LOCK = 72_707_369;
/** Held by the one `migrate` that runs a long step, for as long as its connection lives. */
const LONG_STEP_LOCK = ADVISORY_LOCK + 1;
/** How often it is looked whether another `migrate` has ended its long step. */
const LOOK_FOR_OTHER = SECOND;
/** A lock timeout, a deadlock, and a conflict of transactions. */
const PASSING = new Set(["55P03", "40P01", "40001"]);
const CANCELLED = "57014";
/**
 * Lifts the timeouts that a role or a database may have. By them a long step would be cancelled at each attempt, and no
 * upgrade would ever come to its end.
 */
const LIFT_TIMEOUTS = `select set_config(name, '0', false) from pg_settings
  where name ~ '^(statement|lock|transaction|idle_session|idle_in_transaction_session)_timeout$' and setting <> '0'`;

export type SessionOptions = {
  /** Takes what there is to tell while it runs. */
  say(line: string): void;
  /** Aborted when the operator stops. */
  stop: AbortSignal;
};

/** The operator stopped. */
export class Stopped extends PlainError {
  override name = "Stopped";
  constructor() {
    super(
      'Stopped. The console goes on as before; run the same command again to go on. "--status" says where it stands.',
    );
  }
}

/** A connection that migrates beside a console that serves. */
export class MigrationSession {
  readonly client: pg.Client;
  readonly url: string;
  readonly say: SessionOptions["say"];
  readonly #stop: AbortSignal;
  #aside: Promise<pg.Client> | null = null;

  private constructor(url: string, { say, stop }: SessionOptions) {
    this.url = url;
    this.say = say;
    this.#stop = stop;
    this.client = connection(url);
  }

  static async open(url: string, options: SessionOptions): Promise<MigrationSession> {
    const session = new MigrationSession(url, options);
    await session.client.connect();
    await session.client.query(LIFT_TIMEOUTS);
    return session;
  }

  async close(): Promise<void> {
    const aside = await this.#aside?.catch(() => null);
    await Promise.all([this.client.end(), aside?.end()].map((ended) => ended?.catch(() => {})));
  }

  /**
   * Runs a script in one transaction that waits for no lock longer than 100 ms. `plan` reads what stands, and answers the
   * script, or null when there is nothing to do. It is tried again as a whole for `patience` milliseconds. The script and
   * its commit are sent in one message: however slow or dead this process is, it holds no lock. If that took a while, it
   * rests as long: a page of many statements must not wait behind one step after the other. Answers the rows of the last
   * statement. @throws PlainError that names who holds the lock
   */
  async quick(what: string, plan: () => Promise<string | null>, patience = PATIENCE): Promise<pg.QueryResultRow[]> {
    const began = performance.now();
    let holder = "";
    let said = began;
    for (let pause = PAUSE.first; ; pause = Math.min(2 * pause, PAUSE.longest)) {
      this.#stop.throwIfAborted();
      try {
        // The first attempt nearly always succeeds, so only further ones look for a holder.
        return await this.#watched(holder === "" ? null : LOOK_EVERY.quick, (seen) => (holder = seen), plan);
      } catch (error) {
        if (!PASSING.has((error as { code?: string }).code ?? "")) throw error;
      }
      holder ||= "somebody";
      const now = performance.now();
      if (now - began + pause > patience) {
        throw new PlainError(
          `${what}: a lock was not free for ${Math.round((now - began) / SECOND)} s, and nothing was changed by this step. It is held by ${holder}. Run the same command again once that has ended.`,
        );
      }
      if (now - said > SILENCE) {
        this.say(`${what}: waiting for a lock held by ${holder}.`);
        said = now;
      }
      const signal = this.#stop;
      await wait(pause * (0.5 + Math.random() / 2), null, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  /** Reads as `quick` runs a script: it waits for no lock longer than 100 ms. @throws PlainError as `quick` */
  async read<Found>(what: string, find: () => Promise<Found>, patience = PATIENCE): Promise<Found> {
    const found: Found[] = [];
    const look = async () => {
      found[0] = await find();
      return null;
    };
    await this.quick(what, look, patience);
    return found[0] as Found;
  }

  /** Runs a long step while no other `migrate` runs one: two would stand in each other's way, and both fail. */
  async alone(what: string, step: () => Promise<void>): Promise<void> {
    let said = performance.now();
    while (!(await this.isAlone())) {
      if (performance.now() - said > SILENCE) {
        this.say(`${what}: another migrate is at a long step.`);
        said = performance.now();
      }
      const signal = this.#stop;
      await wait(LOOK_FOR_OTHER, null, { signal }).catch(() => signal.throwIfAborted());
    }
    try {
      await step();
    } finally {
      await this.client.query("select pg_advisory_unlock($1)", [LONG_STEP_LOCK]).catch(() => {});
    }
  }

  /** Whether no other `migrate` runs a long step. Then none does until this session has ended. */
  async isAlone(): Promise<boolean> {
    const { rows } = await this.client.query("select pg_try_advisory_lock($1) as is", [LONG_STEP_LOCK]);
    return rows[0].is;
  }

  /**
   * Runs a statement that may take long and blocks neither readers nor writers. It is cancelled when the operator stops.
   * @throws PlainError when others hold it up for too long
   */
  async long(what: string, statement: string): Promise<void> {
    const stop = this.#stop;
    stop.throwIfAborted();
    const pid = await this.#pid();
    const began = performance.now();
    let heldSince: number | null = null;
    let holder = "";
    const timer = setInterval(async () => {
      const seen = await this.#findHolder(pid);
      const now = performance.now();
      if (!seen) {
        heldSince = null;
        return this.say(`${what}: ${Math.round((now - began) / SECOND)} s so far.`);
      }
      holder = seen;
      heldSince ??= now;
      this.say(`${what}: waiting for a lock held by ${holder}.`);
      if (now - heldSince > PATIENCE) await this.#cancel(pid);
    }, LOOK_EVERY.long);
    const cancel = () => void this.#cancel(pid);
    stop.addEventListener("abort", cancel, { once: true });
    try {
      await this.client.query(statement);
    } catch (error) {
      stop.throwIfAborted();
      if ((error as { code?: string }).code !== CANCELLED || heldSince === null) throw error;
      throw new PlainError(`${what}: a lock was not free for ten minutes. It is held by ${holder}.`);
    } finally {
      clearInterval(timer);
      stop.removeEventListener("abort", cancel);
    }
  }

  async #watched(
    every: number | null,
    onHolder: (holder: string) => void,
    plan: () => Promise<string | null>,
  ): Promise<pg.QueryResultRow[]> {
    const pid = every === null ? 0 : await this.#pid();
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      const holder = await this.#findHolder(pid);
      isLooking = false;
      if (holder) onHolder(holder);
    };
    const timer = every === null ? undefined : setInterval(look, every);
    try {
      return await this.#transaction(plan);
    } finally {
      clearInterval(timer);
    }
  }

  async #transaction(plan: () => Promise<string | null>): Promise<pg.QueryResultRow[]> {
    try {
      await this.client.query(`begin; set local lock_timeout = '${LOCK_TIMEOUT}ms'`);
      await this.client.query("select pg_advisory_xact_lock($1)", [ADVISORY_LOCK]);
      const script = await plan();
      const began = performance.now();
      const result = await this.client.query(script === null ? "commit" : `${script};\ncommit`);
      const took = performance.now() - began;
      if (took > NOTICED) await wait(took);
      // A script of several statements has as many results; that of "commit" is the last.
      return [result].flat().at(-2)?.rows ?? [];
    } catch (error) {
      const isConnected = await this.client.query("rollback").then(
        () => true,
        () => false,
      );
      if (isConnected) throw error;
      // Whether the commit came first is not known here.
      throw new PlainError(
        `The connection to the database has ended (${(error as Error).message}). The console goes on as before; run the same command again.`,
      );
    }
  }

  async #pid(): Promise<number> {
    const { rows } = await this.client.query("select pg_backend_pid() as pid");
    return rows[0].pid;
  }

  /** Whom this session waits for: a process, its program and for how long it has been at it. Null: it does not wait. */
  async #findHolder(pid: number): Promise<string | null> {
    try {
      this.#aside ??= connect(this.url);
      const { rows } = await (await this.#aside).query(
        `select pid, usename, coalesce(nullif(application_name, ''), 'unnamed') as program, state,
           round(extract(epoch from clock_timestamp() - xact_start)) as seconds
         from pg_stat_activity where pid = any(pg_blocking_pids($1)) order by xact_start limit 1`,
        [pid],
      );
      const [row] = rows;
      if (!row) return null;
      return `process ${row.pid} of PostgreSQL (${row.program}, role ${row.usename}, ${row.state}, in a transaction for ${row.seconds} s; "select pg_terminate_backend(${row.pid})" ends it)`;
    } catch {
      // Nothing depends on the answer.
      this.#aside = null;
      return null;
    }
  }

  async #cancel(pid: number): Promise<void> {
    this.#aside ??= connect(this.url);
    await this.#aside.then((client) => client.query("select pg_cancel_backend($1)", [pid])).catch(() => {});
  }
}

function connection(url: string): pg.Client {
  const client = new pg.Client({ ...connectionConfig(url), application_name: "console-api migrate" });
  // A waiting statement gets the error. Between statements it must not end the process.
  client.on("error", () => {});
  return client;
}

async function connect(url: string): Promise<pg.Client> {
  const client = connection(url);
  await client.connect();
  return client;
}
