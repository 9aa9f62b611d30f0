import { type ConsoleServer, startConsole } from "./console-server";
import { expect, test } from "./fixtures";
import { freePort } from "./free-port";

// A console that is asked for more than it can do at once.

/** All customers are behind the same NAT. */
export const SHARED_IP = "198.51.100.20";
/** How often the quiet customer asks for everything during an attack. */
export const ROUNDS = 4;
/** `waitedMs`: from the request to its answer. */
export type Seen = {
  status: number;
  retryAfter: string | null;
  tokenEnd: string | null;
  waitedMs: number;
  token: string;
};

/** One console for all tests of the file that calls this. `opsPort`: where its operator reads how it is. */
export function crowdedConsole() {
  const running = {} as { app: ConsoleServer; opsPort: number };

  test.describe.configure({ mode: "serial" });
  test.beforeAll(async () => {
    const opsPort = await freePort();
    const settings = { TRUSTED_PROXIES: "1", OPS_PORT: String(opsPort) };
    Object.assign(running, { opsPort, app: await startConsole(String(process.env.DATABASE_URL), settings) });
  });
  test.afterAll(() => running.app.stop());

  function send(path: string, headers: Record<string, string>, init: RequestInit = {}): Promise<Response> {
    return fetch(running.app.origin + path, {
      redirect: "manual",
      ...init,
      headers: { "X-Forwarded-For": SHARED_IP, ...headers },
    });
  }

  /** How many requests of a kind the console has let in at once, let in after a wait, or refused. */
  async function readAdmission(kind: string): Promise<Record<string, number>> {
    const text = await (await fetch(`http://127.0.0.1:${running.opsPort}/ops/metrics`)).text();
    const counted = text.matchAll(
      new RegExp(`^console_admission_total\\{kind="${kind}",outcome="(\\w+)"\\} (\\d+)$`, "gm"),
    );
    return Object.fromEntries([...counted].map(([, outcome, count]) => [outcome, Number(count)]));
  }

  return { running, send, readAdmission };
}

/** Sends on so many connections, on each again as soon as it is answered, until the attack is stopped. */
export function attack(connections: number, ask: (connection: number, round: number) => [Promise<Response>, string?]) {
  let isOver = false;
  const seen: Seen[] = [];
  const all = Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let round = 0; !isOver; round++) {
        const start = performance.now();
        const [answered, token = ""] = ask(connection, round);
        const answer = await answered;
        await answer.arrayBuffer();
        const { status, headers } = answer;
        const [retryAfter, tokenEnd] = [headers.get("retry-after"), headers.get("x-token-expires-at")];
        seen.push({ status, retryAfter, tokenEnd, waitedMs: performance.now() - start, token });
      }
    }),
  );
  return {
    seen,
    /** Waits until the attacker asks for more than it is given. */
    async untilRefused(status = 503): Promise<void> {
      const statuses = () => [...new Set(seen.map((each) => each.status))];
      await expect.poll(statuses).toContain(status);
    },
    async stop(): Promise<Seen[]> {
      isOver = true;
      await all;
      return seen;
    },
  };
}
