import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { newAccount, newGameService } from "@/e2e/support/factories";
import { expect, own, test } from "@/e2e/support/fixtures";
import { depthsOf, FOLLOWED, type Follower, playFollowing } from "@/e2e/support/following";
import { startGateway } from "@/e2e/support/gateway";
import { needs } from "@/e2e/support/needs";
import { CONSOLE_API } from "@/e2e/support/run-program";
import { SECOND } from "@/lib/format/time";

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
  const gateway = await own(startGateway());
  const start = (since?: number) => follow(gateway.origin, token, serviceId, since);
  const fail = () => gateway.failures.push("drop", 503, "drop");
  expect(await playFollowing(serviceId, now, start, fail)).toEqual(FOLLOWED);
  const gaps = gateway.asked.slice(1).map((request, index) => request.at - (gateway.asked[index]?.at ?? 0));
  // Beginning anew after the restart is one request; time that only a follower's clock saw is two.
  expect(gaps.filter((gap) => gap < 0.9 * SECOND).length).toBeLessThanOrEqual(3);
  const depths = depthsOf(gateway.asked, now);
  expect(depths.slice(0, 4)).toEqual([null, 25, 25, 25]);
  expect(depths).toContain(10 + 150);
});
