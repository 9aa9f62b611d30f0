import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { NetworkNamespace } from "@/e2e/support/network-namespace";
import { PlainError } from "@/lib/failures";
import { SECOND } from "@/lib/format/time";
import { mintToken } from "@/lib/tokens/format";
import { EdgeCommands, end, requireEdgePrograms } from "@/prisma/demo/edge-programs";

const CLIENTS = "bench/edge-clients.mjs";
const [PORT, ORIGIN_PORT, CONSOLE_PORT] = [25_565, 25_566, 25_567];
const SECONDS = 15;
/** What joins may take under attack, as a multiple of those without; and what the attack must reach a second. */
const GOAL = 3;
const LEAST_ATTACK = 5000;
/** Of one second each, until the node serves. */
const MOST_TRIES = 30;
/** After two failed connections the node answers for the origin within this time. */
const UNTIL_AWAY = 2 * SECOND;

type Times = { asked: number; answered: number; p50: number; p99: number };

/**
 * How an edge node with HAProxy holds out, in a network namespace: joins beside an attack from 1,000 ips, half of them
 * silent and half asking for unknown hostnames; and its own answers to status pings beside those of the origin.
 */
export async function edge(): Promise<(readonly string[])[]> {
  requireEdgePrograms();
  const dir = mkdtempSync(join(tmpdir(), "console-bench-edge-"));
  const network = new NetworkNamespace();
  const started: ChildProcess[] = [];
  const start = (program: string, ...args: string[]) => {
    const child = spawn("ip", ["netns", "exec", network.name, program, ...args], {
      stdio: ["pipe", "pipe", "ignore"],
    });
    started.push(child);
    return child;
  };
  const measure = async <Result>(name: string, port: number, seconds = SECONDS): Promise<Result> =>
    JSON.parse(await text(start(process.execPath, CLIENTS, name, String(port), String(seconds)).stdout));
  try {
    const world = start(process.execPath, CLIENTS, "world", String(CONSOLE_PORT), String(ORIGIN_PORT));
    await once(world.stdout, "data");
    const commands = new EdgeCommands(dir);
    start(...commands.haproxy(8));
    const node = start(...commands.edge(`http://127.0.0.1:${CONSOLE_PORT}`));
    node.stdin.end(`${mintToken("edgeKey")}\n`);
    for (let tries = 0; (await measure<Times>("pings", PORT, 1)).answered === 0; ) {
      if (++tries === MOST_TRIES) throw new PlainError("The edge node does not serve its service.");
    }

    const calm = await measure<Times & { closed: number }>("players", PORT);
    // An attack comes from other machines: its own work takes no core from what is measured, as far as it can.
    const attacker = start("nice", "-n", "19", process.execPath, CLIENTS, "attack", String(PORT), String(SECONDS + 5));
    const attacking = text(attacker.stdout);
    await pause(2 * SECOND);
    const attacked = await measure<Times & { closed: number }>("players", PORT);
    const { perSecond } = JSON.parse(await attacking) as { perSecond: number };
    const direct = await measure<Times>("pings", ORIGIN_PORT);
    world.kill();
    await once(world, "exit");
    const { ms } = await measure<{ ms: number }>("away", PORT);
    const own = await measure<Times>("pings", PORT);
    return table(calm, attacked, perSecond, direct, own, ms);
  } finally {
    for (const child of started.reverse()) await end(child, "SIGKILL");
    network.remove();
    rmSync(dir, { recursive: true, force: true });
  }
}

function table(
  calm: Times,
  attacked: Times & { closed: number },
  perSecond: number,
  direct: Times,
  own: Times,
  untilAway: number,
): (readonly string[])[] {
  const ms = (time: number) => `${time.toFixed(1)} ms`;
  const row = (name: string, times: Times, peer: Times, goal: string) => [
    name,
    `${times.answered} of ${times.asked}`,
    ms(times.p50),
    ms(times.p99),
    (times.p99 / peer.p99).toFixed(2),
    goal,
  ];
  const isHeld = attacked.p99 <= GOAL * calm.p99 && attacked.answered === attacked.asked && attacked.closed === 0;
  const isReal = perSecond >= LEAST_ATTACK;
  return [
    ["Edge node", "answered", "p50", "p99", "ratio of p99", "goal"],
    row("joins", calm, calm, ""),
    row(
      `joins beside ${perSecond} connections a second`,
      attacked,
      calm,
      `${GOAL}: ${isHeld && isReal ? "met" : "missed"}`,
    ),
    ["players who were closed", String(attacked.closed), "", "", "", "0"],
    row("status pings of the origin", direct, direct, ""),
    row("status pings, answered by the node", own, direct, ""),
    [
      "from the second failed connection to its answers",
      "",
      ms(untilAway),
      "",
      "",
      `${ms(UNTIL_AWAY)}: ${untilAway <= UNTIL_AWAY ? "met" : "missed"}`,
    ],
  ];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
