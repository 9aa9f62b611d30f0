import { randomBytes } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { runSql } from "@/e2e/support/run-sql";
import { SECOND } from "@/lib/format/time";
import { SESSION_COOKIE } from "@/lib/sign-in/session-cookie";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { type Answer, READINESS } from "./judge";

const ACCOUNTS = 10;
const TOKENS_OF_EACH = 20;
const SERVERS_OF_EACH = 4;
/** How many clients ask at once, and how long each waits after an answer: about 100 requests a second in all. */
const CLIENTS = 12;
const PAUSE = 100;
/** Tokens that are used as fast as possible, by this many clients each. */
const GREEDY = { tokens: 3, clients: 2, pause: 25 };
/** An answer that takes longer counts as none. */
const SILENCE = 30 * SECOND;
/** How often a token is revoked, and when after that it is tried again. */
const REVOKE_EVERY = 2 * SECOND;
const TRIED_AFTER = [0, 0, SECOND, 5 * SECOND];

/** Who asks, and what must appear in no log. */
export type People = Awaited<ReturnType<typeof addPeople>>;

/** A request and what its answer should be. */
export type Ask = Pick<Answer, "what" | "expected"> &
  Partial<Pick<Answer, "token" | "needsNoStore" | "isPage">> & {
    path: string;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  };

/** Writes accounts with tokens, servers with keys, game services and sessions into a migrated database. */
export async function addPeople(url: string) {
  const many = (count: number, make: () => string) => Array.from({ length: count }, make);
  const people = {
    polite: many(ACCOUNTS * TOKENS_OF_EACH, mintToken),
    greedy: many(GREEDY.tokens, mintToken),
    keys: many(ACCOUNTS * SERVERS_OF_EACH, () => mintToken("serverKey")),
    sessions: many(ACCOUNTS, () => randomBytes(32).toString("base64url")),
    /** In a query string. */
    marker: `planted${randomBytes(12).toString("hex")}`,
  };
  const hashes = (secrets: string[]) => secrets.map(hashToken);
  await runSql(
    url,
    `insert into accounts (name, email, role)
     select 'Account ' || i, 'account-' || i || '@example.com', 'customer' from generate_series(1, $1::int) i`,
    [ACCOUNTS],
  );
  await runSql(
    url,
    `insert into access_tokens (account_id, name, token_hash, hint)
     select 1 + n % $1::int, 'Soak', hash, 'xxxx' from unnest($2::text[]) with ordinality t (hash, n)`,
    [ACCOUNTS, hashes([...people.polite, ...people.greedy])],
  );
  await runSql(
    url,
    `with s as (insert into servers (account_id, label, hostname)
       select 1 + i % $1::int, 'server ' || i, 'server-' || i || '.example.com'
       from generate_series(1, cardinality($2::text[])) i returning id)
     insert into server_keys (server_id, key_hash, hint)
     select id, ($2::text[])[row_number() over (order by id)], 'xxxx' from s`,
    [ACCOUNTS, hashes(people.keys)],
  );
  await runSql(
    url,
    `insert into sessions (token_hash, account_id, expires_at)
     select hash, n, now() + interval '9 days' from unnest($1::text[]) with ordinality t (hash, n)`,
    [hashes(people.sessions)],
  );
  const services = await runSql<{ id: number }>(
    url,
    `insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
     select i, 'service ' || i, 'play-' || i || '.example.com', '192.0.2.1', 25565
     from generate_series(1, $1::int) i returning id`,
    [ACCOUNTS],
  );
  return { ...people, services: services.map(({ id }) => id) };
}

/** Clients that ask instances in turn and note every answer. */
export class Clients {
  readonly answers: Answer[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #running: Promise<void>[] = [];
  readonly #stopping = new AbortController();
  #asked = 0;

  constructor(readonly origins: readonly string[]) {}

  /** Starts a client that asks again and again, and pauses after each answer (ms); its first request is sent after `delay`. */
  add(next: (turn: number) => Ask, pause: number, delay = 0): void {
    this.run(async () => {
      await this.pause(delay);
      while (!this.isStopped) {
        const turn = this.#asked++;
        await this.ask(next(turn), turn % this.origins.length);
        await this.pause(pause);
      }
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
    this.#agent.destroy();
  }

  protected get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Runs what ends by itself when it is stopped. */
  protected run(task: () => Promise<void>): void {
    this.#running.push(task());
  }

  /** Sleeps for some milliseconds, or until it is stopped. */
  protected async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {});
  }

  async ask(ask: Ask, instance: number): Promise<void> {
    const from = Date.now();
    const { status, hasRetryAfter } = await this.#send(ask, instance);
    const { what, token = null, expected, needsNoStore = false, isPage = false } = ask;
    const asked = { what, token, expected, needsNoStore, isPage, instance };
    this.answers.push({ ...asked, status, hasRetryAfter, from, to: Date.now() });
  }

  #send({ path, method = "GET", token, headers = {}, body }: Ask, instance: number) {
    return new Promise<Pick<Answer, "status" | "hasRetryAfter">>((resolve) => {
      const authorization = token ? { Authorization: `Bearer ${token}` } : {};
      const options = { agent: this.#agent, method, headers: { ...headers, ...authorization }, timeout: SILENCE };
      const sent = request(new URL(path, this.origins[instance]), options, (answer) => {
        answer.resume();
        answer.once("close", () =>
          resolve({
            status: answer.complete ? (answer.statusCode ?? 0) : 0,
            hasRetryAfter: answer.headers["retry-after"] !== undefined,
          }),
        );
      });
      sent.once("timeout", () => sent.destroy());
      sent.once("error", () => resolve({ status: 0, hasRetryAfter: false }));
      sent.end(body);
    });
  }
}

/** The clients of the soak: most ask a mixture, some use up their limit, and tokens are revoked. */
export class Load extends Clients {
  constructor(
    origins: readonly string[],
    readonly people: People,
  ) {
    super(origins);
  }

  /** Starts all clients. */
  start(databaseUrl: string): void {
    for (let n = 0; n < CLIENTS; n++) this.add((turn) => this.#next(turn), PAUSE);
    for (const token of this.people.greedy) {
      for (let n = 0; n < GREEDY.clients; n++) this.add(() => greedy(token), GREEDY.pause);
    }
    this.run(() => this.#revoke(databaseUrl));
  }

  /** What the clients ask in turn; each of them is its own mixture. */
  #next(turn: number): Ask {
    const { polite, keys, sessions, services, marker } = this.people;
    const of = <Item>(all: readonly Item[]) => all[turn % all.length] as Item;
    const token = of(polite);
    // Of the account that has this token.
    const service = `/api/v1/game-services/${services[(turn + 1) % services.length]}`;
    const get = (path: string, expected = 200): Ask => ({ what: `GET ${path}`, path, token, expected: [expected] });
    const asks: (() => Ask)[] = [
      () => get("/api/v1/me"),
      () => ({ ...get("/api/v1/servers"), path: `/api/v1/servers?secret=${marker}` }),
      () => get("/api/v1/game-services"),
      () => ({ ...get("metrics of a service"), path: `${service}/metrics?range=1h` }),
      () => ({ ...get("metrics of a wrong range", 400), path: `${service}/metrics?range=1y` }),
      () => get("/api/v1/servers/2147483647", 404),
      () => get("/metrics"),
      () => get("/healthz"),
      () => ({ ...get("/readyz"), what: READINESS }),
      () => ({ what: "an unknown token", path: "/api/v1/me", token: mintToken(), expected: [401] }),
      () => ({
        what: "a check-in",
        path: "/ingest/v1/check-ins",
        method: "POST",
        token: of(keys),
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ cpu_pct: turn % 100, mem_used_mb: 900, mem_total_mb: 4096 }),
        expected: [200],
      }),
      () => ({
        what: "the fleet page",
        isPage: true,
        path: "/dashboard",
        headers: { Cookie: `${SESSION_COOKIE}=${of(sessions)}` },
        expected: [200],
      }),
      () => ({ what: "the sign-in page", isPage: true, path: "/sign-in", expected: [200] }),
    ];
    const ask = (asks[turn % asks.length] as () => Ask)();
    return ask.path === "/healthz" ? { ...ask, needsNoStore: true } : ask;
  }

  /** Makes a token, uses it, revokes it, and uses it again: on each instance. */
  async #revoke(databaseUrl: string): Promise<void> {
    const everywhere = (ask: Ask) => Promise.all(this.origins.map((_, instance) => this.ask(ask, instance)));
    while (!this.isStopped) {
      await this.pause(REVOKE_EVERY);
      const token = mintToken();
      const ask = { path: "/api/v1/me", token };
      try {
        const sql = "insert into access_tokens (account_id, name, token_hash, hint) values (1, 'Soak', $1, 'xxxx')";
        await runSql(databaseUrl, sql, [hashToken(token)]);
        await everywhere({ ...ask, what: "a new token", expected: [200] });
        const revoke = "update access_tokens set revoked_at = now() where token_hash = $1";
        await runSql(databaseUrl, revoke, [hashToken(token)]);
      } catch {
        // PostgreSQL is away, so nobody knows whether the token is revoked.
        continue;
      }
      for (const pause of TRIED_AFTER) {
        await sleep(pause);
        await everywhere({ ...ask, what: REVOKED, expected: [401] });
      }
    }
  }
}

/** The name of the requests with a token that was revoked before they were sent. */
export const REVOKED = "a revoked token";

const greedy = (token: string): Ask => ({
  what: "a token that never stops",
  path: "/api/v1/me",
  token,
  expected: [200, 429],
});
