import { PlainError } from "@/lib/failures";
import type { Bench, BenchRequest, Target } from "./bench";
import { bodies } from "./bodies";
import { charts } from "./charts";
import { neighbours } from "./neighbours";
import { reports } from "./reports";
import { interleave } from "./rounds";

/** A table: its head, then its rows. */
type Rows = (readonly string[])[];
/** `rounds`: how often each case is measured. */
type Section = (bench: Bench, rounds: number) => Promise<Rows>;

const ME = "/api/v1/me";
const SERVERS = "/api/v1/servers";
const SERVICES = "/api/v1/game-services";
const WARM_UP_MS = 500;

/** The parts of the benchmark, by the names that the command line takes, in the order in which they run. */
export const SECTIONS = {
  requests,
  "check-ins": reports,
  charts,
  bodies,
  neighbours,
} as const satisfies Record<string, Section>;
export type SectionName = keyof typeof SECTIONS;

/** Answers per second, and what part of the peer's they are. */
async function requests(bench: Bench, rounds: number): Promise<Rows> {
  const [peer, direct, next] = [await bench.peer(), await bench.direct(), await bench.next()];
  await requireEqualAnswers(bench, peer, direct);
  const perSecond = await ratesOf(bench, rounds, {
    "GET /me, peer": [peer, { path: ME }],
    "GET /me, direct door": [direct, { path: ME }],
    "GET /me, Next's door": [next, { path: ME }],
    "GET /servers (100), peer": [peer, { path: SERVERS }],
    "GET /servers (100), direct door": [direct, { path: SERVERS }],
    "GET /servers (100), Next's door": [next, { path: SERVERS }],
    "401, direct door": [direct, { path: ME, tokens: [], status: 401 }],
    "GET /game-services/:id, direct door": [direct, { path: `${SERVICES}/${bench.data.serviceId}` }],
    "404 of an id, direct door": [direct, { path: `${SERVICES}/2147483647`, status: 404 }],
    "404 of no endpoint, direct door": [direct, { path: "/api/v1/unknown", status: 404 }],
  });
  return [
    ["", "answers/s", "of the peer's"],
    ...Object.entries(perSecond).map(([name, value]) => {
      const peers = perSecond[name.includes("/servers") ? "GET /servers (100), peer" : "GET /me, peer"];
      return [name, value.toFixed(0), (value / (peers ?? Number.NaN)).toFixed(2)];
    }),
  ];
}

/** Checks that the peer and the app return the same data, because only then is the comparison fair. @throws PlainError */
async function requireEqualAnswers(bench: Bench, peer: Target, app: Target): Promise<void> {
  const headers = { Authorization: `Bearer ${bench.data.tokens[100][0]}` };
  const read = async ({ port }: Target, path: string) => {
    const { data } = await (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).json();
    return JSON.stringify(data);
  };
  for (const path of [ME, SERVERS]) {
    let isEqual = false;
    // A score can change between the two answers.
    for (let attempt = 0; attempt < 5 && !isEqual; attempt++)
      isEqual = (await read(peer, path)) === (await read(app, path));
    if (!isEqual) throw new PlainError(`The peer answers ${path} otherwise.`);
  }
}

/** Answers per second of each case. Each case gets one request first, as a warm-up. */
async function ratesOf(
  bench: Bench,
  rounds: number,
  cases: Readonly<Record<string, readonly [Target, BenchRequest]>>,
): Promise<Record<string, number>> {
  for (const [target, request] of Object.values(cases)) await bench.ask(target, { ...request, ms: WARM_UP_MS });
  const measures = Object.entries(cases).map(([name, [target, request]]) => [
    name,
    async () => (await bench.ask(target, request)).perSecond,
  ]);
  return interleave(rounds, Object.fromEntries(measures));
}
