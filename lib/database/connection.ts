import pg from "pg";
import { SECOND } from "@/lib/format/time";
import { withLibpqTls } from "@/lib/process/database-tls";
import { LONGEST_WAIT } from "@/lib/process/in-time";

/** The part of its time after which a statement is cancelled. If it has not ended by the end, its connection is given up. */
const CANCELLED_AFTER = 5 / 6;
/** A cancel request is given up after this time. */
const CANCEL_TIME = SECOND / 2;

/** Members of `pg` that its types omit: the connection below a client, and the credentials of a cancel request. */
type Wire = pg.Connection & {
  connect(port: number, host: string): void;
  cancel(processId: number, secretKey: number): void;
};
type Cancellable = { processID: number; secretKey: number; sslNegotiation: "postgres" | "direct" };

/**
 * A transaction that sends nothing for so long is ended by PostgreSQL, in milliseconds: its process is frozen, or its machine
 * is gone, and others wait for its locks. It goes with `begin`, because poolers keep no setting of a session.
 */
const LONGEST_IDLE = 2 * LONGEST_WAIT;
const BEGIN = `begin; set local idle_in_transaction_session_timeout = ${LONGEST_IDLE}`;

/** The connection options for `pg`. Poolers refuse some startup options, so none of those is set here. */
export function connectionConfig(connectionString: string) {
  return {
    connectionString: withLibpqTls(connectionString),
    connectionTimeoutMillis: LONGEST_WAIT,
    keepAlive: true,
    application_name: "console-api",
  };
}

/**
 * A connection that ends each statement within `LONGEST_WAIT`, including `begin` and `commit`. A timer in this process
 * sends a cancel request, and then throws the connection away. `statement_timeout` is no alternative: a frozen server does
 * not keep it, poolers refuse it as a startup option, and a later `SET` would affect their other clients.
 */
export class BoundedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // A waiting statement gets the error. Between statements it must not end the process.
    this.on("error", () => {});
    const send = (args: unknown[]) => Reflect.apply(super.query, this, args);
    this.query = ((...args: unknown[]) =>
      typeof args.at(-1) === "function"
        ? send(args)
        : this.#bounded(() => settled(send, isBegin(args[0]) ? [BEGIN] : args))) as this["query"];
  }

  async #bounded<Result>(run: () => Promise<Result>): Promise<Result> {
    const cancelledAfter = Math.round(LONGEST_WAIT * CANCELLED_AFTER);
    let isCancelled = false;
    let timer = setTimeout(() => {
      isCancelled = true;
      this.#requestCancel();
      timer = setTimeout(() => this.#destroy(), LONGEST_WAIT - cancelledAfter);
    }, cancelledAfter);
    try {
      return await run();
    } catch (error) {
      // `pg` makes its errors where it reads from the socket. This stack leads to the statement.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    } finally {
      clearTimeout(timer);
      // A cancel request that arrives late would hit the next statement.
      if (isCancelled) this.#destroy();
    }
  }

  #destroy(): void {
    const error = Object.assign(new Error("The database did not answer in time."), { code: "ETIMEDOUT" });
    this.connection.stream.destroy(error);
  }

  /** Sends the cancel request on a separate connection, as the protocol demands. The server closes that connection. */
  #requestCancel(): void {
    const { processID, secretKey, sslNegotiation } = this as unknown as Cancellable;
    const wire = new pg.Connection({ ssl: this.ssl, sslNegotiation } as pg.ConnectionConfig) as Wire;
    // If it fails, the connection ends anyway.
    wire.on("error", () => {});
    wire.once(this.ssl ? "sslconnect" : "connect", () => wire.cancel(processID, secretKey));
    if (this.ssl && sslNegotiation !== "direct") {
      wire.once("connect", () => (wire as unknown as { requestSsl(): void }).requestSsl());
    }
    const isSocket = this.host.startsWith("/");
    const place = isSocket ? `${this.host}/.s.PGSQL.${this.port}` : this.port;
    wire.connect(place as number, this.host);
    setTimeout(() => wire.stream.destroy(), CANCEL_TIME).unref();
  }
}

/** Our transactions begin so, and Prisma's. */
function isBegin(query: unknown): boolean {
  const text = typeof query === "string" ? query : (query as pg.QueryConfig).text;
  return text === "begin" || text === "BEGIN";
}

/**
 * Sends a statement with a callback. The promises that `pg` makes itself keep every result alive until the next full
 * garbage collection: copying the text of a list of servers cost as much as reading it.
 */
function settled<Result>(send: (args: unknown[]) => void, args: readonly unknown[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    send([...args, (error: Error | null, result: Result) => (error ? reject(error) : resolve(result))]);
  });
}

/**
 * Sets the time zone of a new connection to UTC, because the adapter drops the offset of instants. This `SET` is safe
 * behind PgBouncer, which tracks this parameter for each client. No other setting of a session is used.
 */
export async function speakUtc(client: pg.ClientBase): Promise<void> {
  await client.query("set time zone 'UTC'");
}

/** Connects as the app does and disconnects. @throws the error of `pg` when that fails. */
export async function probeDatabase(connectionString: string): Promise<void> {
  await queryOnce(connectionString, "select 1");
}

/**
 * Whether the time zone that a connection asked for still holds in its second transaction: not behind a pooler that puts
 * settings back. @throws what `pg` throws.
 */
export async function keepsUtc(connectionString: string): Promise<boolean> {
  const [zone] = await queryOnce<{ zone: string }>(connectionString, "select current_setting('TimeZone') as zone");
  return zone?.zone === "UTC";
}

/** The rows of one statement, on a connection of its own. @throws what `pg` throws. */
export async function queryOnce<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new BoundedClient(connectionConfig(connectionString));
  try {
    await client.connect();
    await speakUtc(client);
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}
