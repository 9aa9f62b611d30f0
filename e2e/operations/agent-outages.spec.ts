import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { AgentBench, PING } from "@/e2e/support/agent";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { db } from "@/lib/database/client";
import { MINUTE, SECOND } from "@/lib/format/time";
import { GRID } from "@/lib/servers/telemetry/check-ins";
import { mintToken } from "@/lib/tokens/format";

// public/agent.sh while the console is away, and with a clock that is not the true one.

needs("dash", "busybox", "curl");

let bench: AgentBench;
test.beforeEach(() => {
  bench = new AgentBench();
  // Five pings take four seconds; most tests are not about them.
  bench.shim("ping", PING);
});
test.afterEach(() => bench.remove());

const samplesOf = (serverId: number) => db.telemetrySample.findMany({ where: { serverId }, orderBy: { at: "asc" } });

/**
 * A proxy to the shared console that drops connections while `isAway`. The time that it tells follows the agent's clock. Records
 * each sample that the agent tried to send.
 */
async function startFlakyConsole(isAway: () => boolean, now: () => number) {
  const tried = new Set<number>();
  const server = createServer((incoming: IncomingMessage, outgoing: ServerResponse) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      tried.add(JSON.parse(body.toString()).sampled_at);
      if (isAway()) return incoming.socket.destroy();
      const forwarded = request(new URL(incoming.url ?? "", sharedOrigin()), {
        method: "POST",
        headers: incoming.headers,
      });
      forwarded.on("response", (answer) => {
        const time = { date: new Date(now()).toUTCString(), "x-console-time": String(Math.floor(now() / SECOND)) };
        outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...time });
        answer.pipe(outgoing);
      });
      forwarded.end(body);
    });
  });
  return { origin: `http://127.0.0.1:${await listen(server)}`, tried, close: () => server.close() };
}

test("check-ins of an hour's outage are kept, replayed in order and fully counted", async () => {
  const { id: accountId } = await newAccount();
  const end = Math.floor(Date.now() / SECOND);
  const start = end - 76 * 60;
  const { id, key } = await newReportingServer(accountId, { createdAt: new Date((start - 60) * SECOND) });
  // `sleep` advances the fake clock at once, until the clock reaches the present.
  const clock = join(bench.dir, "clock");
  writeFileSync(clock, String(start));
  bench.shim("date", `cat ${clock}`);
  bench.shim("sleep", `now=$(($(cat ${clock}) + $1)); [ $now -lt ${end} ] || exec /bin/sleep 60; echo $now >${clock}`);
  bench.shim(
    "ping",
    `echo $(($(cat ${clock}) + 4)) >${clock}; echo '5 packets transmitted, 5 received, 0% packet loss'`,
  );
  const elapsed = () => Number(readFileSync(clock, "utf8")) - start;
  const flaky = await startFlakyConsole(
    () => elapsed() > 5 * 60 && elapsed() < 66 * 60,
    () => (start + elapsed()) * SECOND,
  );
  const agent = bench.start(["busybox", "sh"], ["run", flaky.origin], `${key}\n`, {
    PROC_ROOT: resolve("e2e/support/proc/before"),
    STATE_DIRECTORY: bench.dir,
  });
  try {
    await expect.poll(() => readFileSync(clock, "utf8").trim() !== "" && elapsed() > 75 * 60, SLOW).toBe(true);
    await expect.poll(() => readdirSync(join(bench.dir, "spool"))).toEqual([]);
  } finally {
    await agent.stop();
    flaky.close();
  }
  const times = (await samplesOf(id)).map(({ at }) => at.getTime());
  expect(times.length).toBeGreaterThan(130);
  for (const [n, time] of times.slice(1).entries()) expect(time - (times[n] ?? 0)).toBeLessThanOrEqual(50 * SECOND);
  const onGrid = (at: number) => Math.floor(at / GRID) * GRID;
  expect([...flaky.tried].every((sampledAt) => times.includes(onGrid(sampledAt)))).toBe(true);
  const minutes = new Set(times.map((time) => Math.floor(time / MINUTE))).size;
  const hours = await db.telemetryHour.findMany({ where: { serverId: id } });
  expect(hours.reduce((sum, { seen }) => sum + seen.toString(2).replaceAll("0", "").length, 0)).toBe(minutes);
  expect(minutes).toBeGreaterThanOrEqual(75);
  expect(hours.every(({ reboots, oomKills }) => reboots === 0 && oomKills === 0)).toBe(true);
  expect(agent.stderr()).toContain("Not delivered yet (000)");
  expect(agent.stderr()).not.toContain(key.slice(5, 20));
});

test("the spool holds 150 check-ins, drops the oldest first and obeys Retry-After", async () => {
  const reports: { at: number; sampledAt: number }[] = [];
  const now = Math.floor(Date.now() / SECOND);
  const clock = bench.startClock(200);
  const console = await bench.startAnswering((response, count, { sampled_at: sampledAt }) => {
    reports.push({ at: clock.elapsed(), sampledAt });
    const status = [503, 400][count - 1] ?? 200;
    response.sendDate = false;
    response.writeHead(status, { "Content-Type": "application/json", "Retry-After": "95" });
    response.end(status === 200 ? '{"data":{"stored":true}}' : '{"error":"Not now."}');
  });
  const spool = join(bench.dir, "spool");
  execFileSync("mkdir", [spool]);
  for (let n = 0; n < 160; n++)
    writeFileSync(join(spool, `${now - 5000 + n * 30}.json`), JSON.stringify({ sampled_at: n }));
  const agent = bench.start(["dash"], ["run", console.origin], mintToken("serverKey"), { STATE_DIRECTORY: bench.dir });
  try {
    await expect.poll(() => readdirSync(spool).length, SLOW).toBe(0);
  } finally {
    await agent.stop();
  }
  const [first, second, third] = reports;
  // The spool dropped the oldest 11 of 161 samples, and more for samples taken during the 95 seconds of waiting.
  expect(first?.sampledAt).toBe(11);
  expect(second?.sampledAt).toBeGreaterThan(11);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(95);
  // The agent does not resend a permanently refused check-in.
  expect(third?.sampledAt).toBe((second?.sampledAt ?? 0) + 1);
  expect(agent.stderr()).toContain("The console asks to wait: Not now.");
  expect(agent.stderr()).toContain("The console cannot use a check-in, which is left out: Not now.");
});

test("samples from a clock an hour ahead are stored once at their true time", async () => {
  const { id: accountId } = await newAccount();
  const { id, key } = await newReportingServer(accountId);
  const start = Math.floor(Date.now() / SECOND);
  const ahead = join(bench.dir, "ahead");
  writeFileSync(ahead, "3600");
  bench.shim("date", `echo $(($(/bin/date +%s) + $(cat ${ahead})))`);
  bench.shim("sleep", "exec /bin/sleep 1.1");
  const spool = join(bench.dir, "spool");
  mkdirSync(spool);
  // A sample from an outage, when the agent could not learn the true time.
  writeFileSync(join(spool, `${start + 3540}.json`), `{"sampled_at":${start + 3540}000,"cpu_pct":7}`);
  const samples = () => samplesOf(id);
  const agent = bench.start(["busybox", "sh"], ["run", sharedOrigin()], `${key}\n`, {
    PROC_ROOT: resolve("e2e/support/proc/before"),
    STATE_DIRECTORY: bench.dir,
  });
  try {
    await expect.poll(async () => (await samples()).length).toBeGreaterThan(1);
    writeFileSync(ahead, "0");
    const before = (await samples()).length;
    await expect.poll(async () => (await samples()).length).toBeGreaterThan(before + 1);
  } finally {
    await agent.stop();
  }
  const times = (await samples()).map(({ at }) => at.getTime() / SECOND);
  // The grid of samples, and between the answer and its own look at the clock a busy machine may let some seconds pass.
  const slack = 15;
  expect(Math.abs((times[0] ?? 0) - (start - 60))).toBeLessThanOrEqual(slack);
  for (const time of times.slice(1)) expect(time).toBeGreaterThanOrEqual(start - slack);
  for (const time of times) expect(time).toBeLessThanOrEqual(Date.now() / SECOND + slack);
  expect(agent.stderr()).toMatch(/The clocks of this machine and of the console differ by (359[5-9]|360[0-5]) seconds/);
  expect(agent.stderr()).not.toContain("is left out");
});
