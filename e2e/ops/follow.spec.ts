import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { newAccount, newGameService } from "@/e2e/support/factories";
import { expect, own, test } from "@/e2e/support/fixtures";
import { startGateway } from "@/e2e/support/gateway";
import { needs } from "@/e2e/support/needs";
import { CONSOLE_API } from "@/e2e/support/run-program";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import type { FollowedIntervals } from "@/public/clients/console-api";

type Follower = {
  next(): Promise<FollowedIntervals>;
  /** Half an hour passes for it. */
  skipTime(): void;
  stop(): Promise<void>;
};

const PROGRAM = `
import json, sys, threading, time
from console_api import ConsoleApi
origin, token, service, since = sys.argv[1:]
real, skipped = time.monotonic, [0]
time.monotonic = lambda: real() + skipped[0]
def skip():
    for line in sys.stdin:
        skipped[0] += 31 * 60
threading.Thread(target=skip, daemon=True).start()
api = ConsoleApi(origin, token, max_wait=0)
for batch in api.follow(int(service), since=int(since) if since else None, every=0):
    print(json.dumps(batch), flush=True)
`;

function follow(origin: string, token: string, id: number, since?: number): Follower {
  const env = { ...process.env, ...CONSOLE_API };
  const args = ["-c", PROGRAM, origin, token, String(id), String(since ?? "")];
  const child = spawn("python3", args, { env, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    next: async () => JSON.parse((await lines.next()).value as string),
    skipTime: () => child.stdin.write("\n"),
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

test("the Python client's follow gives each interval once, over failures and a restart", {
  tag: "@waits",
}, async () => {
  needs("python3");
  const { id: accountId, token } = await newAccount();
  const { id: serviceId } = await newGameService(accountId);
  const now = Date.now();
  const at = (minutes: number) => now - minutes * MINUTE;
  const counters = { packets: 1n, bytes: 1n, dropped: 0n, connections: 1n };
  const store = (...intervals: [minutes: number, nodeId: number][]) =>
    db.metricSample.createMany({
      data: intervals.map(([minutes, nodeId]) => ({ serviceId, ts: new Date(at(minutes)), nodeId, ...counters })),
    });
  const read = async (follower: Follower) => {
    const { since, intervals } = await follower.next();
    return [(now - since) / MINUTE, intervals.map(({ ts, node_id }) => [(now - ts) / MINUTE, node_id])];
  };
  const gateway = await own(startGateway());
  await store([90, 1], [40, 1], [40, 2], [15, 1], [15, 2]);
  let follower = follow(gateway.origin, token, serviceId);
  // It begins an hour ago. Several nodes share a time.
  expect(await read(follower)).toEqual([15, [[40, 1], [40, 2], [15, 1], [15, 2]]]); // biome-ignore format: pairs
  await store([15, 3], [20, 3]);
  expect(await read(follower)).toEqual([
    15,
    [
      [20, 3],
      [15, 3],
    ],
  ]);
  gateway.failures.push("drop", 503, "drop");
  await store([10, 1]);
  expect(await read(follower)).toEqual([10, [[10, 1]]]);
  // Later than the overlap: only the read of all that may be late finds it. What is older than the beginning stays out.
  await store([39, 3], [95, 3]);
  follower.skipTime();
  expect(await read(follower)).toEqual([10, [[39, 3]]]);
  await follower.stop();

  await store([8, 1], [8, 2]);
  follower = follow(gateway.origin, token, serviceId, at(10));
  expect(await read(follower)).toEqual([
    8,
    [
      [8, 1],
      [8, 2],
    ],
  ]);
  await store([119, 2]);
  follower.skipTime();
  expect(await read(follower)).toEqual([8, [[119, 2]]]);
  await store([7, 2]);
  expect(await read(follower)).toEqual([7, [[7, 2]]]);
  await follower.stop();

  const gaps = gateway.asked.slice(1).map((request, index) => request.at - (gateway.asked[index]?.at ?? 0));
  // Beginning anew after the restart is one request; time that only a follower's clock saw is two.
  expect(gaps.filter((gap) => gap < 0.9 * SECOND).length).toBeLessThanOrEqual(3);
  const depths = gateway.asked.map(({ url }) => new URLSearchParams(url.split("?")[1]).get("since"));
  expect(depths[0]).toBeNull();
  expect(new Set(depths.slice(1, 4).map(Number))).toEqual(new Set([at(25)]));
  expect(depths.map(Number)).toContain(at(10) - 2.5 * HOUR);
});
