import { execFileSync, execSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { childrenOf, isAlive } from "@/e2e/support/child-processes";
import { expect, getDataWhenServed, ownFolder, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { needs } from "@/e2e/support/needs";
import { SLOW } from "@/e2e/support/patience";
import { expectSteps, expectTestsToArrive, runDemo, signIn } from "@/e2e/support/running-command";
import { tryToConnect } from "@/e2e/support/try-to-connect";
import type { Data } from "@/lib/api/contract";
import type { ServerDetail } from "@/lib/api/schemas";
import { SECOND } from "@/lib/format/time";
import { findRunningDatabase } from "@/server/embedded/owner-file";

// The demo with other programs: the README's lines, a browser. What it writes: prisma/demo/seed.slow.test.ts.

test("npm run demo shows live data in every state and keeps it across runs", {
  tag: "@waits",
}, async ({ page }) => {
  needs("curl");
  const dir = ownFolder();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const demo = await runDemo({ DATA_DIR: dir, PORT: String(port) });
  const started = childrenOf(demo.child.pid);
  expect(started.length).toBeGreaterThan(0);

  const curl = /curl -sS .*/.exec(demo.output())?.[0] ?? "";
  const listed = JSON.parse(await answerOf(() => execSync(curl, { encoding: "utf8" })));
  expect(listed.data.servers.length).toBeGreaterThanOrEqual(6);
  const token = /cpat_\w+/.exec(demo.output())?.[0] ?? "";
  await expectReadmeToBeTrue(origin, token);
  expect(demo.output()).toContain(`${origin}/dashboard/settings/api`);

  type Server = Data<"/api/v1/servers">["servers"][number];
  const listServers = async () =>
    (await getDataWhenServed<{ servers: Server[] }>(origin, "/api/v1/servers", token)).servers;
  const servers = await listServers();
  const details = await Promise.all(
    servers.map(({ id }) => getDataWhenServed<ServerDetail>(origin, `/api/v1/servers/${id}`, token)),
  );
  expect({
    healthy: servers.some(({ online, score }) => online && score >= 950),
    busy: servers.some(({ online, score }) => online && score < 900),
    offline: servers.some(({ online }) => !online),
    withoutIp: servers.some(({ public_ip }) => public_ip === null),
    neverHeard: details.some(({ latest_sample }) => latest_sample === null),
  }).toEqual({ healthy: true, busy: true, offline: true, withoutIp: true, neverHeard: true });

  const thisMachine = async () => (await listServers()).find(({ label }) => label === "This machine");
  if (process.platform === "linux") {
    await expect.poll(async () => (await thisMachine())?.online).toBe(true);
    expect(await getDataWhenServed(origin, `/api/v1/servers/${(await thisMachine())?.id}`, token)).toMatchObject({
      facts: { kernel: release(), cores: cpus().length },
      latest_sample: { mem_used_mb: expect.any(Number) },
    });
    await expect.poll(() => demo.output()).toContain("checked in by public/agent.sh");
  } else {
    expect(demo.output()).toContain('"This machine" is left out');
  }

  const { services } = await getDataWhenServed<{ services: { id: number; status: string; error: string | null }[] }>(
    origin,
    "/api/v1/game-services",
    token,
  );
  expect(new Set(services.map(({ status }) => status)).size).toBe(6);
  expect(services.some(({ error }) => error !== null)).toBe(true);
  const active = services.find(({ status }) => status === "active");
  type Series = { series: { ts: number; node_id: number; latency_ms: number | null }[] };
  // Of simulated daemons: this machine's own is real.
  const lastSeen = async () =>
    Math.max(...(await listServers()).flatMap(({ label, last_seen }) => (label === "This machine" ? [] : [last_seen])));
  const seenBefore = await lastSeen();
  const slowly = { intervals: [2 * SECOND], ...SLOW };
  const lastHour = `/api/v1/game-services/${active?.id}/metrics?range=1h`;
  const newestInterval = async () => (await getDataWhenServed<Series>(origin, lastHour, token)).series.at(-1)?.ts ?? 0;
  const age = async () => Date.now() - (await newestInterval());
  await expect.poll(age, { ...slowly, message: "up to the last finished minute" }).toBeLessThan(150 * SECOND);
  const lastInterval = await newestInterval();
  const askForWeek = () =>
    getDataWhenServed<Series>(origin, `/api/v1/game-services/${active?.id}/metrics?range=7d`, token);
  // The week arrives behind the last hour.
  expect((await askForWeek()).series.length).toBeGreaterThan(100);
  await expect.poll(async () => (await askForWeek()).series.length, slowly).toBeGreaterThan(25_000);
  const week = await askForWeek();
  expect(week.series.length, "there are gaps").toBeLessThan(3 * 7 * 24 * 60);
  expect(new Set(week.series.map(({ node_id }) => node_id)).size).toBe(3);
  expect(week.series.some(({ latency_ms }) => latency_ms === null)).toBe(true);

  await expect.poll(lastSeen, slowly).toBeGreaterThan(seenBefore);
  await expect.poll(newestInterval, slowly).toBeGreaterThan(lastInterval);

  await signIn(page, origin);
  const sentPage = await expectTestsToArrive(page, origin, demo);
  expect(await demo.stop()).toBe(0);
  expectSteps(demo.output());
  expect(readFileSync(join(dir, "demo.log"), "utf8")).toContain('"event":"stopped"');
  await expect.poll(() => started.filter(isAlive)).toEqual([]);
  expect(await tryToConnect("127.0.0.1", Number(new URL(sentPage).port))).toBe("ECONNREFUSED");

  const second = await runDemo({ DATA_DIR: dir, PORT: String(port) });
  expect(second.output()).toContain("5 of 5: starting");
  expect(second.output()).not.toContain("2 of 5");
  const again = /cpat_\w+/.exec(second.output())?.[0] ?? "";
  expect(again).not.toBe(token);
  const kept = await getDataWhenServed<{ servers: { id: number }[] }>(origin, "/api/v1/servers", again);
  expect(kept.servers.map(({ id }) => id)).toEqual(servers.map(({ id }) => id));
  expect((await fetch(`${origin}/api/v1/me`, { headers: { Authorization: `Bearer ${token}` } })).status).toBe(401);
  // All clients of the embedded database would share the names of statements.
  const client = new pg.Client(String(await findRunningDatabase(dir)));
  client.on("error", () => {});
  await client.connect();
  expect((await client.query("select name from pg_prepared_statements")).rows).toEqual([]);
  // PGlite does not survive a recursion without end.
  await client.query("create function endless(n int) returns int language sql as 'select endless($1 + 1)'");
  await expect(client.query("select endless(1)")).rejects.toThrow("terminated");
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain(
    "The embedded database has ended: PGlite answers no more. Its files stay; start again.",
  );
});

/** Runs the commands of the README's API section and compares their answers with the README. */
async function expectReadmeToBeTrue(origin: string, token: string): Promise<void> {
  const [, section = ""] = /^## The API\n(.*?)^## /ms.exec(readFileSync("README.md", "utf8")) ?? [];
  const examples = [...section.matchAll(/```sh\n(curl .*?)```\n```json\n(.*?)```/gs)];
  expect(examples.length).toBeGreaterThan(0);
  for (const [, command = "", shown = ""] of examples) {
    const env = { ...process.env, BASE: origin, TOKEN: token };
    const text = await answerOf(() => execFileSync("bash", ["-c", command], { env, encoding: "utf8" }));
    // Times depend on when the demo was created.
    const timeless = (json: string) => JSON.parse(json, (key, value) => (key.endsWith("_at") ? typeof value : value));
    expect(timeless(text), command).toEqual(timeless(shown));
  }
  for (const [, path = ""] of section.matchAll(/http:\/\/127\.0\.0\.1:3000(\/[\w/]+)/g)) {
    await expect.poll(async () => (await fetch(origin + path)).status, path).toBe(200);
  }
}

/** What a command prints that asks the demo. While it writes its past, a busy machine may say 503: then it is asked again. */
async function answerOf(ask: () => string): Promise<string> {
  let text = "";
  await expect
    .poll(() => {
      text = ask();
      return text;
    })
    .not.toContain("Service temporarily unavailable.");
  return text;
}
