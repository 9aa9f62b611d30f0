import { startConsole } from "@/e2e/support/console-server";
import { startReadyProcess } from "@/e2e/support/ready-process";
import { PlainError } from "@/lib/failures";
import type { Filled } from "./database";
import { type Load, measure } from "./load";
import { interleave } from "./rounds";

const ME = "/api/v1/me";
const SERVERS = "/api/v1/servers";
const WARM_UP = 2;
const MEASURED = 3;

/** Answers per second, and what part of the peer's they are; in turns, so that other load falls on all of them. */
export async function requests(data: Filled, rounds: number): Promise<(readonly string[])[]> {
  const peer = await startReadyProcess<number>("bench/peer.ts", [data.url]);
  const app = await startConsole(data.url);
  try {
    await requireEqualAnswers(data, peer.message, app.port);
    const of = (path: string, status = 200): Load => ({
      ...{ path, status, connections: 16, seconds: MEASURED },
      ...(status !== 401 && { tokens: data.tokens[100] }),
    });
    const cases: Record<string, readonly [port: number, Load]> = {
      "GET /me, peer": [peer.message, of(ME)],
      "GET /me": [app.port, of(ME)],
      "GET /servers (100), peer": [peer.message, of(SERVERS)],
      "GET /servers (100)": [app.port, of(SERVERS)],
      "401": [app.port, of(ME, 401)],
      "404 of an id": [app.port, of("/api/v1/game-services/2147483647", 404)],
    };
    for (const [port, load] of Object.values(cases)) await measure(port, { ...load, seconds: WARM_UP });
    const measures = Object.entries(cases).map(([name, [port, load]]) => [
      name,
      async () => (await measure(port, load)).perSecond,
    ]);
    const perSecond: Record<string, number> = await interleave(rounds, Object.fromEntries(measures));
    return [
      ["", "answers/s", "of the peer's"],
      ...Object.entries(perSecond).map(([name, value]) => {
        const peers = perSecond[name.includes("/servers") ? "GET /servers (100), peer" : "GET /me, peer"];
        return [name, value.toFixed(0), (value / (peers ?? Number.NaN)).toFixed(2)];
      }),
    ];
  } finally {
    await app.stop();
    await peer.stop();
  }
}

/** Checks that both return the same data, because only then is the comparison fair. @throws PlainError */
async function requireEqualAnswers(data: Filled, ...ports: readonly number[]): Promise<void> {
  const headers = { Authorization: `Bearer ${data.tokens[100][0]}` };
  const read = async (port: number, path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).text();
  for (const path of [ME, SERVERS]) {
    let isEqual = false;
    // A score can change between the two answers.
    for (let attempt = 0; attempt < 5 && !isEqual; attempt++) {
      isEqual = new Set(await Promise.all(ports.map((port) => read(port, path)))).size === 1;
    }
    if (!isEqual) throw new PlainError(`The peer answers ${path} otherwise.`);
  }
}
