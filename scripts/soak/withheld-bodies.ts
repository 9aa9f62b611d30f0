import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE, SECOND } from "@/lib/format/time";

const CONNECTIONS = 1500;
const ANNOUNCED = 1024 * 1024;
const WITHHELD = 10;
/** After this time each of them has been answered: a body that has stopped is given up five seconds after it did. */
const LONGEST = MINUTE;
/** Bytes that stop coming, and bytes for which there is no room. */
const GIVEN_UP = new Set([408, 503]);
const LOOK_EVERY = 100;
/** Within this time of ordinary traffic the memory is given back. */
const ORDINARY_MS = MINUTE;
const ORDINARY_PAUSE = 100;

/** In megabytes: how much more than before the process may hold meanwhile, and within a minute of ordinary traffic again. */
const MOST_MEGABYTES = { meanwhile: 200, afterwards: 80 };

export type WithheldReport = {
  /** Megabytes of resident memory. */
  before: number;
  most: number;
  afterwards: number;
  /** How many of the connections were answered with each status; 0: none came. */
  statuses: ReadonlyMap<number, number>;
  /** Answers to small check-ins of other servers meanwhile. */
  others: readonly number[];
};

/**
 * Sends 1,500 bodies of a megabyte at once, each without its last ten bytes, with the keys of servers. Meanwhile and
 * afterwards servers check in as usual, until the memory is given back. Linux alone.
 */
export async function withholdBodies(
  { origin, pid }: { origin: string; pid: number | undefined },
  keys: readonly string[],
): Promise<WithheldReport> {
  const megabytes = () => {
    const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1024;
  };
  await checkIn(origin, keys, 10 * SECOND);
  const before = megabytes();
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, megabytes());
  }, LOOK_EVERY);
  const body = Buffer.alloc(ANNOUNCED - WITHHELD, "x");
  const sent = Array.from({ length: CONNECTIONS }, (_, n) => withhold(origin, keys[n % keys.length] ?? "", body));
  const others = checkIn(origin, keys, 15 * SECOND);
  const statuses = new Map<number, number>();
  for (const status of await Promise.all(sent)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const answered = await others;
  clearInterval(looking);
  const until = Date.now() + ORDINARY_MS;
  do await checkIn(origin, keys, SECOND);
  while (megabytes() - before > MOST_MEGABYTES.afterwards && Date.now() < until);
  return { before, most, afterwards: megabytes(), statuses, others: answered };
}

/** What was wrong, each a sentence. */
export function withheldProblems({ before, most, afterwards, statuses, others }: WithheldReport): string[] {
  const grew = (to: number, bound: number, when: string) =>
    to - before > bound
      ? [`Withheld bodies took the memory from ${before.toFixed(0)} to ${to.toFixed(0)} MB${when}.`]
      : [];
  const wrong = [...statuses].filter(([status]) => !GIVEN_UP.has(status));
  return [
    ...grew(most, MOST_MEGABYTES.meanwhile, ""),
    ...grew(afterwards, MOST_MEGABYTES.afterwards, ", and there it was a minute later"),
    ...wrong.map(([status, count]) => `${count} withheld bodies were answered ${status || "by nothing"}.`),
    ...[...new Set(others)].filter((status) => status !== 200).map((status) => `Beside them a check-in was ${status}.`),
  ];
}

/** The status that a body is answered with whose end never comes; 0 for none. */
function withhold(origin: string, key: string, body: Buffer): Promise<number> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve) => {
    const socket: Socket = connect(Number(port), hostname);
    const end = (status: number) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(status);
    };
    const timer = setTimeout(() => end(0), LONGEST);
    socket.once("data", (text) => end(Number(/^HTTP\/1\.1 (\d+)/.exec(String(text))?.[1] ?? 0)));
    socket.once("error", () => end(0));
    socket.once("close", () => end(0));
    socket.write(
      `POST /ingest/influx/api/v2/write HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${ANNOUNCED}\r\n\r\n`,
    );
    socket.write(body);
  });
}

/** Checks in for some time, with one key after the other. Answers the statuses. */
async function checkIn(origin: string, keys: readonly string[], ms: number): Promise<number[]> {
  const statuses: number[] = [];
  const until = Date.now() + ms;
  while (Date.now() < until) {
    const response = await fetch(`${origin}/ingest/v1/check-ins`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${keys[statuses.length % keys.length]}` },
      body: JSON.stringify({ cpu_pct: 5, mem_used_mb: 900, mem_total_mb: 4096 }),
    });
    await response.arrayBuffer();
    statuses.push(response.status);
    await sleep(ORDINARY_PAUSE);
  }
  return statuses;
}
