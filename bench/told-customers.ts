import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { SECOND } from "@/lib/format/time";
import { TOGETHER } from "@/lib/notices/rules";
import { seal } from "@/lib/notices/secrets";
import type { Measured } from "./load";
import { median } from "./rounds";

/** What is due is known so long before: the console looks every two seconds, and waits five for what comes with it. */
const KNOWN_BEFORE = 12 * SECOND;
/** All of them are due within this time. */
const DUE_WITHIN = 8 * SECOND;
/** What has not arrived by then counts as lost. */
const LOST_AFTER = 60 * SECOND;
/** As many as an account can have, and messages that wait on each. */
const HANGING_CHANNELS = 20;
const HANGING_MESSAGES = 20;

const KEY = randomBytes(32);
/** What a console needs to tell these customers anything. */
export const TELLING = { NOTICE_KEY: KEY.toString("base64"), PRIVATE_WEBHOOKS: "allow" };

/** Customers with a webhook each, and one whose webhooks never answer. The receiver is on loopback. */
export class ToldCustomers {
  readonly #arrivals = new Map<string, number>();
  readonly #hanging = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => {
    const path = request.url ?? "";
    request.resume();
    if (path === "/hangs") this.#hanging.add(response);
    else {
      this.#arrivals.set(path, Date.now());
      response.end();
    }
  });

  private constructor(readonly client: pg.Client) {}

  static async start(databaseUrl: string): Promise<ToldCustomers> {
    const customers = new ToldCustomers(new pg.Client(databaseUrl));
    await customers.client.connect();
    customers.#server.listen(0, "127.0.0.1");
    await once(customers.#server, "listening");
    return customers;
  }

  /** So many new customers, each with an outage that is due within the next seconds: how long after that they were told. */
  async measure(count: number): Promise<Measured> {
    const dueOf = new Map<string, number>();
    for (let number = 0; number < count; number++) {
      const accountId = await this.#addAccount();
      const path = `/${accountId}`;
      const due = Date.now() + KNOWN_BEFORE + (number / count) * DUE_WITHIN;
      await this.#addChannel(accountId, path);
      await this.client.query(
        `with s as (insert into servers (account_id, label, hostname) values ($1, 'web-1', 'h') returning id)
          insert into server_events (server_id, kind, started_at) select id, 'disk_full', $2 from s`,
        [accountId, new Date(due - TOGETHER)],
      );
      dueOf.set(path, due);
    }
    const end = Math.max(...dueOf.values()) + LOST_AFTER;
    const isWaiting = () => [...dueOf.keys()].some((path) => !this.#arrivals.has(path));
    while (isWaiting() && Date.now() < end) await setTimeout(SECOND / 10);
    const late = [...dueOf].map(([path, due]) => (this.#arrivals.get(path) ?? end) - due).sort((a, b) => a - b);
    const part = (share: number) => late[Math.ceil(late.length * share) - 1] ?? 0;
    return {
      answers: count,
      perSecond: count / (DUE_WITHIN / SECOND),
      medianMs: median(late),
      p95Ms: part(0.95),
      p99Ms: part(0.99),
      longestMs: part(1),
      refused: [...dueOf.keys()].filter((path) => !this.#arrivals.has(path)).length,
    };
  }

  /** An account has as many webhooks as it may, none of which answers, and messages are due on all of them. */
  async hang(): Promise<void> {
    const accountId = await this.#addAccount();
    for (let number = 0; number < HANGING_CHANNELS; number++) await this.#addChannel(accountId, "/hangs");
    await this.client.query(
      `with n as (insert into notices (id, account_id, kind, thread)
          select id, $1, 'test', id from (select gen_random_uuid() as id from generate_series(1, $2)) ids returning id)
        insert into notice_deliveries (notice_id, channel_id, account_id, due_at, attempt_at)
          select n.id, c.id, $1, now(), now() from n, notice_channels c where c.account_id = $1`,
      [accountId, HANGING_MESSAGES],
    );
  }

  async stop(): Promise<void> {
    for (const response of this.#hanging) response.destroy();
    this.#server.closeAllConnections();
    this.#server.close();
    await this.client.end();
  }

  async #addAccount(): Promise<number> {
    const email = `${randomBytes(8).toString("hex")}@example.com`;
    const { rows } = await this.client.query("insert into accounts (name, email) values ('told', $1) returning id", [
      email,
    ]);
    return rows[0].id;
  }

  async #addChannel(accountId: number, path: string): Promise<void> {
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
    const sealed = seal(JSON.stringify({ url, secrets: [`whsec_${randomBytes(24).toString("base64")}`] }), accountId, [
      KEY,
    ]);
    await this.client.query(
      `insert into notice_channels (account_id, kind, name, host, sealed, confirmed_at)
        values ($1, 'webhook', $2, '127.0.0.1', $3, now())`,
      [accountId, path, sealed],
    );
  }
}
