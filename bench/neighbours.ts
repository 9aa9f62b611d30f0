import { setTimeout } from "node:timers/promises";
import { startConsole } from "@/e2e/support/console-server";
import { SECOND } from "@/lib/format/time";
import type { Filled } from "./database";
import { type Load, type Measured, measure } from "./load";

const MEASURED = 8;
/** An attack begins before what is measured beside it, and goes on until that has ended. */
const BEFORE = 1;
const CHECK_IN = JSON.stringify({ cpu_pct: 12.5, mem_used_mb: 9000, mem_total_mb: 16_000 });
const CHECK_INS = "/ingest/v1/check-ins";

/** How much longer a customer with few requests waits beside an account, or strangers, with very many. */
export async function neighbours(data: Filled): Promise<(readonly string[])[]> {
  const app = await startConsole(data.url);
  try {
    const quiet = quietOf(data);
    const askQuiet = () => Promise.all(Object.values(quiet).map((load) => measure(app.port, load)));
    await askQuiet();
    const peace = await askQuiet();
    const rows: (readonly string[])[] = [
      ["beside", "quiet", "97.5 % in peace", "97.5 % beside it", "times", "refused"],
    ];
    for (const [name, attack] of Object.entries(attacksOf(data))) {
      const attacking = measure(app.port, { ...attack, seconds: MEASURED + 2 * BEFORE });
      await setTimeout(BEFORE * SECOND);
      const beside = await askQuiet();
      await attacking;
      for (const [index, what] of Object.keys(quiet).entries())
        rows.push([name, what, ...compare(peace[index], beside[index])]);
      await setTimeout(SECOND);
    }
    return rows;
  } finally {
    await app.stop();
  }
}

function compare(peace: Measured | undefined, beside: Measured | undefined): string[] {
  const [before, during] = [peace?.p97Ms ?? Number.NaN, beside?.p97Ms ?? Number.NaN];
  return [`${before.toFixed(1)} ms`, `${during.toFixed(1)} ms`, (during / before).toFixed(1), String(beside?.refused)];
}

function quietOf({ tokens, cookies, keys }: Filled): Record<string, Load> {
  const few = { connections: 1, seconds: MEASURED };
  return {
    "GET /me": { ...few, path: "/api/v1/me", tokens: tokens[10], rate: 20 },
    "a check-in": { ...few, path: CHECK_INS, tokens: keys[10], body: CHECK_IN, rate: 4 },
    "the fleet page": { ...few, path: "/dashboard", cookie: cookies[10], rate: 5 },
    "/readyz": { ...few, path: "/readyz", rate: 10 },
  };
}

function attacksOf({ tokens, cookies, keys, serviceId }: Filled): Record<string, Omit<Load, "seconds">> {
  const week = `/api/v1/game-services/${serviceId}/metrics?range=7d`;
  return {
    "236 lists of 1,000 servers": { path: "/api/v1/servers", tokens: tokens[1000], connections: 236 },
    "12 clients of weeks": { path: week, tokens: tokens[100], connections: 12 },
    "150 check-ins": { path: CHECK_INS, tokens: keys[1000], body: CHECK_IN, connections: 150 },
    "20 fleet pages of 1,000 servers": { path: "/dashboard", cookie: cookies[1000], connections: 20 },
    "40 strangers at the sign-in": { path: "/sign-in?next=/dashboard", connections: 40 },
  };
}
