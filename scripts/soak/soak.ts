import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConsoleServer, startConsole } from "@/e2e/support/console-server";
import { startPostgres } from "@/e2e/support/postgres-server";
import { startRedis } from "@/e2e/support/redis-server";
import { SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { hashToken, mintToken } from "@/lib/tokens/format";
import { migrate } from "@/scripts/database";
import {
  type Answer,
  isRight,
  mostInAMinute,
  type Outage,
  overlaps,
  type Span,
  slopePerMinute,
  timesWithoutRedis,
} from "./judge";
import { addPeople, Load, type People, REVOKED } from "./load";
import { type Trouble, troubleStores } from "./stores";
import { type WithheldReport, withheldProblems, withholdBodies } from "./withheld-bodies";

const INSTANCES = 2;
const LOOK_EVERY = SECOND;
/**
 * How much more an instance may hold at the end of the second half than at its beginning. In ten minutes it was up to 7 MB
 * and 4 handles; in the minute of CI the heap is still growing to its size, by up to 71 MB.
 */
const MOST_GROWTH = { megabytes: 96, handles: 24 };
/** Node 20's. In newer ones the young generation may grow by up to 100 MB more, which would hide what requests hold. */
const YOUNG_GENERATION = "--max-semi-space-size=16";
const MOST_SHOWN = 10;
/** The statuses of requests that count against the limit. */
const COUNTED = new Set([200, 400, 404]);

/** What an instance holds at one moment. */
type Held = { at: number; megabytes: number; handles: number };

export type SoakReport = ReturnType<typeof judge>;

/**
 * Two instances on a PostgreSQL and a Redis of their own, under mixed load for at least `ms`, while both stores are frozen,
 * killed and restarted. Then one of them is sent bodies whose ends never come. Linux alone.
 */
export async function soak(ms: number): Promise<SoakReport> {
  const started: { stop(): Promise<unknown> }[] = [];
  const own = <Started extends { stop(): Promise<unknown> }>(one: Started): Started => {
    started.push(one);
    return one;
  };
  try {
    const [postgres, redis] = [own(await startPostgres()), own(await startRedis())];
    await migrate(postgres.url);
    const people = await addPeople(postgres.url);
    // This server believes everybody, so the password can be a secret to look for.
    const url = new URL(postgres.url);
    url.password = mintToken().slice(5, 30);
    const apps = [];
    for (let n = 0; n < INSTANCES; n++) {
      const variables = { REDIS_URL: redis.url, NODE_OPTIONS: YOUNG_GENERATION };
      apps.push(own(await startConsole(url.toString(), variables)));
    }
    const origins = apps.map(({ origin }) => origin);
    const load = new Load(origins, people);
    const held = watch(apps);
    load.start(postgres.url);
    const troubles = await troubleStores(postgres, redis, origins, Date.now() + ms);
    await load.stop();
    const holdings = held.stop();
    const [first] = apps;
    if (!first) throw new Error("There is no instance.");
    const withheld = await withholdBodies({ origin: first.origin, pid: first.child.pid }, people.keys);
    const logs = await logsOf(apps);
    return judge({ load, people, troubles, holdings, withheld, logs, password: url.password });
  } finally {
    for (const one of started.reverse()) await one.stop();
  }
}

/** Looks at what the instances hold, again and again. */
function watch(apps: readonly ConsoleServer[]): { stop(): Held[][] } {
  const holdings = apps.map((): Held[] => []);
  const timer = setInterval(() => {
    for (const [n, { child }] of apps.entries()) {
      const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      const handles = readdirSync(`/proc/${child.pid}/fd`).length;
      holdings[n]?.push({ at: Date.now(), megabytes: Number(kilobytes) / 1024, handles });
    }
  }, LOOK_EVERY);
  return {
    stop() {
      clearInterval(timer);
      return holdings;
    },
  };
}

/** What the instances have written. They say that Redis is back some seconds after it is. */
async function logsOf(apps: readonly ConsoleServer[]): Promise<string[]> {
  await sleep(SECOND);
  return apps.map((app) => app.output());
}

type Material = {
  load: Load;
  people: People;
  troubles: Trouble[];
  holdings: Held[][];
  withheld: WithheldReport;
  logs: string[];
  password: string;
};

function judge({ load, people, troubles, holdings, withheld, logs, password }: Material) {
  const { answers } = load;
  const away = (store: Trouble["store"]) => troubles.filter((trouble) => trouble.store === store);
  const most = mostAccepted(answers, people, [...away("Redis"), ...logs.flatMap(timesWithoutRedis)]);
  const slopes = holdings.map((held) => slopesOf(held, troubles));
  const revoked = answers.filter(({ what }) => what === REVOKED);
  const lines = logs.flatMap((log) => log.split("\n").filter(Boolean));
  const secrets = [...people.polite, ...people.greedy, ...people.keys, ...revoked.map(({ token }) => token ?? "")];
  const problems = [
    ...wrongAnswers(answers, away("PostgreSQL")),
    ...(most.together > API_REQUESTS.limit ? [`A token had ${most.together} requests accepted in 60 seconds.`] : []),
    ...(most.alone > API_REQUESTS.limit ? [`One instance accepted ${most.alone} of a token in 60 seconds.`] : []),
    ...(revoked.length === 0 ? ["No token was revoked."] : []),
    ...slopes.flatMap(({ from, to }, n) => growthProblems(n, from, to)),
    ...withheldProblems(withheld),
    ...logProblems(lines, [...secrets, ...people.sessions, people.marker, password]),
  ];
  return {
    answers,
    troubles,
    /** Of each instance, in the second half: what is added in a minute. */
    slopes,
    /** The most requests of one token that were accepted in 60 seconds: together, and by one instance alone. */
    most,
    revocations: new Set(revoked.map(({ token }) => token)).size,
    /** Of the first instance, after all that. */
    withheld,
    lines: lines.length,
    /** Each a sentence. Empty: all is well. */
    problems,
  };
}

function wrongAnswers(answers: readonly Answer[], postgresAway: readonly Outage[]): string[] {
  const wrong = answers.filter((answer) => !isRight(answer, postgresAway));
  const sentences = wrong.slice(0, MOST_SHOWN).map(({ what, status, instance, from, to }) => {
    const at = new Date(from).toISOString();
    return `Instance ${instance + 1} answered ${status} to ${what}, sent at ${at}, after ${to - from} ms.`;
  });
  return wrong.length > MOST_SHOWN ? [...sentences, `And ${wrong.length - MOST_SHOWN} more wrong answers.`] : sentences;
}

/** While Redis is away each instance counts for itself; before and after that they count together. */
function mostAccepted(answers: readonly Answer[], people: People, withoutRedis: readonly Span[]) {
  const most = { together: 0, alone: 0 };
  for (const token of [...people.greedy, ...people.polite]) {
    const accepted = answers.filter((answer) => answer.token === token && COUNTED.has(answer.status));
    most.together = Math.max(most.together, mostInAMinute(accepted, withoutRedis));
    for (let n = 0; n < INSTANCES; n++) {
      most.alone = Math.max(most.alone, mostInAMinute(accepted.filter(({ instance }) => instance === n)));
    }
  }
  return most;
}

/** Of the second half, when all that is kept has been filled, and while both stores answer. */
function slopesOf(held: readonly Held[], troubles: readonly Trouble[]) {
  const calm = held
    .slice(Math.floor(held.length / 2))
    .filter(({ at }) => !troubles.some((span) => overlaps(span, { from: at, to: at })));
  const [from, to] = [calm[0], calm.at(-1)];
  if (!from || !to) throw new Error("The soak had no calm moment in its second half.");
  const minutes = (to.at - from.at) / (60 * SECOND);
  const slope = (of: "megabytes" | "handles") => slopePerMinute(calm.map((one) => ({ at: one.at, value: one[of] })));
  const [megabytes, handles] = [slope("megabytes"), slope("handles")];
  const risen = {
    at: to.at,
    megabytes: from.megabytes + megabytes * minutes,
    handles: from.handles + handles * minutes,
  };
  return { megabytes, handles, from, to: risen };
}

function growthProblems(n: number, from: Held, to: Held): string[] {
  return (["megabytes", "handles"] as const)
    .filter((what) => to[what] - from[what] > MOST_GROWTH[what])
    .map((what) => `Instance ${n + 1} grew by ${(to[what] - from[what]).toFixed(1)} ${what} in the second half.`);
}

function logProblems(lines: readonly string[], secrets: readonly string[]): string[] {
  const text = lines.join("\n");
  const found = secrets.filter((secret) => [secret.slice(-20), hashToken(secret)].some((part) => text.includes(part)));
  const broken = lines.filter((line) => !isJson(line));
  return [
    ...(found.length > 0 ? [`The log holds ${found.length} of ${secrets.length} planted secrets.`] : []),
    ...broken.slice(0, MOST_SHOWN).map((line) => `A line of the log is not JSON: ${line.slice(0, 200)}`),
  ];
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
