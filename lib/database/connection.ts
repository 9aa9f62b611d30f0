import pg from "pg";
import { SECOND } from "@/lib/time";

/** A statement that runs longer is cancelled. */
const STATEMENT_TIME = 2.5 * SECOND;
/** A database that has not even answered the cancel request so long afterwards counts as unreachable. */
const CANCEL_TIME = SECOND / 2;

/** What `pg` has and its types do not: the wire below a client, and what a cancel request is signed with. */
type Wire = pg.Connection & {
  connect(port: number, host: string): void;
  cancel(processId: number, secretKey: number): void;
};
type Cancellable = { processID: number; secretKey: number; sslNegotiation: "postgres" | "direct" };

/** What `pg` needs to reach a database. No option here that a pooler would refuse at the start of a connection. */
export function connectionConfig(connectionString: string) {
  return { connectionString, connectionTimeoutMillis: 3 * SECOND, keepAlive: true, application_name: "console-api" };
}

/**
 * A connection on which each statement ends within three seconds, the transactions' own included. The time is kept here
 * and enforced by a cancel request: `statement_timeout` at the start of a connection is refused by poolers, and a later
 * `SET` would reach their other clients.
 */
export class BoundedClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    // A waiting statement gets the error. Between statements it must not end the process.
    this.on("error", () => {});
    this.query = ((...args: unknown[]) => this.#bounded(() => Reflect.apply(super.query, this, args))) as this["query"];
  }

  async #bounded<Result>(run: () => Promise<Result>): Promise<Result> {
    let isCancelled = false;
    let timer = setTimeout(() => {
      isCancelled = true;
      this.#requestCancel();
      timer = setTimeout(() => this.#destroy(), CANCEL_TIME);
    }, STATEMENT_TIME);
    try {
      return await run();
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

  /** By the protocol on a connection of its own, which the server closes. */
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

/**
 * What every connection begins with: the adapter writes and reads instants as UTC and drops their offset. The one `SET`
 * there is: PgBouncer knows this parameter and carries it along with its client.
 */
export async function speakUtc(client: pg.ClientBase): Promise<void> {
  await client.query("set time zone 'UTC'");
}

/** Connects as the app does, and leaves. @throws what `pg` throws when that fails. */
export async function probeDatabase(connectionString: string): Promise<void> {
  await queryOnce(connectionString, "select 1");
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
