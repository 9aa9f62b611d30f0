import { readFileSync } from "node:fs";
import pg from "pg";
import { SECOND } from "@/lib/format/time";

/** What an earlier build asked PostgreSQL while it answered requests, to the letter (`log_statement = all`). */
type Recording = {
  recordedAt: string;
  texts: string[];
  requests: { what: string; statements: { text: number; values: (string | null)[] }[] }[];
};

const FILE = "e2e/operations/upgrade-recordings/af92d18.json";
const INSTANT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/;

export function readRecording(): Recording {
  return JSON.parse(readFileSync(FILE, "utf8"));
}

/** Replays the recorded requests through a pool, from several clients at once, as if they came now. */
export class Replay {
  readonly failures: string[] = [];
  /** Check-ins that were stored, by server. */
  readonly stored = new Map<number, number>();
  answered = 0;
  readonly #pool: pg.Pool;
  readonly #recording = readRecording();
  readonly #shift = Date.now() - Date.parse(this.#recording.recordedAt);
  readonly #clients: Promise<void>[] = [];
  #isOver = false;

  constructor(url: string) {
    this.#pool = new pg.Pool({ connectionString: url, max: 12 });
    // A connection that breaks fails the request on it, too.
    this.#pool.on("error", (error) => this.failures.push(String(error)));
  }

  /** Starts as many readers, and for each of these servers somebody who checks in. */
  start(readers: number, servers: readonly number[]): void {
    const reads = this.#recording.requests.filter(({ what }) => what !== "check-in");
    for (let reader = 0; reader < readers; reader++) {
      let turn = reader;
      this.#clients.push(this.#repeat(() => this.#read(reads[turn++ % reads.length])));
    }
    for (const server of servers) this.#clients.push(this.#repeat(() => this.#checkIn(server)));
  }

  /** Waits until so many more requests are answered. */
  async proceed(requests: number): Promise<void> {
    for (const end = this.answered + requests; this.answered < end && this.failures.length === 0; ) await pause();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients);
    await this.#pool.end();
  }

  async #repeat(request: () => Promise<void>): Promise<void> {
    while (!this.#isOver) {
      await request().catch((error: Error) => this.failures.push(`${new Date().toISOString()} ${error.message}`));
      this.answered++;
      await pause();
    }
  }

  async #read(request: Recording["requests"][number] | undefined): Promise<void> {
    const client = await this.#pool.connect();
    try {
      for (const { text, values } of request?.statements ?? []) {
        await client.query(this.#recording.texts[text] ?? "", values.map(this.#now));
      }
      client.release();
    } catch (error) {
      client.release(true);
      throw new Error(`${request?.what}: ${(error as Error).message}`);
    }
  }

  /** Recorded instants become as late as they were then. */
  #now = (value: string | null) =>
    value && INSTANT.test(value) ? new Date(Date.parse(`${value}:00`) + this.#shift) : value;

  async #checkIn(serverId: number): Promise<void> {
    const [key, previous, change] = this.#recording.requests.find(({ what }) => what === "check-in")?.statements ?? [];
    const run = async (index: number | undefined, values: unknown[]) =>
      (await this.#pool.query(this.#recording.texts[index ?? -1] ?? "", values)).rows[0];
    const now = new Date();
    await run(key?.text, [key?.values[0], now]);
    const before = await run(previous?.text, [now, serverId]);
    const values: unknown[] = [...(change?.values ?? [])];
    const at = (place: number, value: unknown) => (values[place - 1] = value);
    at(1, serverId);
    at(2, new Date(Number(before.lastSeenAt)));
    at(3, before.stabilityMd5);
    for (const place of [6, 8, 16]) at(place, now);
    at(7, new Date(now.getTime() - 60 * SECOND));
    const outcome = await run(change?.text, values);
    if (!outcome.wasSame || !outcome.wasNew) throw new Error(`check-in: ${JSON.stringify(outcome)}`);
    this.stored.set(serverId, (this.stored.get(serverId) ?? 0) + 1);
  }
}

/** Between two requests of a client. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
