import { newAccount, newReportingServer, newServer } from "@/e2e/support/factories";
import { expect, getData, sharedOrigin, test } from "@/e2e/support/fixtures";
import type { ServerDetail } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { createService, MAX_SERVICES } from "@/lib/game-services/management";
import { createServer, MAX_SERVERS } from "@/lib/servers/management";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { parseReport } from "@/lib/servers/telemetry/report";
import { deleteEndedSessions, MAX_SESSIONS } from "@/lib/sign-in/session-row";
import { MINUTE, SECOND } from "@/lib/time";

// Reaches the limits that docs/limits.md states.

test("an account has at most a thousand servers", async () => {
  const { id } = await newAccount();
  await db.$executeRaw`insert into servers (account_id, label, hostname) select ${id}, 'l', 'h' from generate_series(2, ${MAX_SERVERS})`;
  const add = () => createServer(id, { label: "Further", hostname: "further.example.net" });
  expect((await add()).kind).toBe("created");
  expect((await add()).kind).toBe("invalid");
  expect(await db.server.count({ where: { accountId: id } })).toBe(MAX_SERVERS);
});

test("an account has at most a hundred game services", async () => {
  const { id } = await newAccount();
  await db.$executeRaw`
    insert into game_services (account_id, name, java_hostname, origin_host, origin_port)
    select ${id}, 'n', 'n' || n || '.' || ${id} || '.example.com', 'o', 1 from generate_series(2, ${MAX_SERVICES}) n`;
  const add = (name: string) =>
    createService(
      id,
      {
        name: "Further",
        javaHostname: `${name}${id}.play.example.org`,
        originHost: "origin.example.org",
        originPort: "25565",
      },
      { ownHosts: [], allowPrivateOrigins: false },
    );
  expect((await add("a")).kind).toBe("created");
  expect((await add("b")).kind).toBe("invalid");
  expect(await db.gameService.count({ where: { accountId: id } })).toBe(MAX_SERVICES);
});

test("of the sessions of an account the latest thousand are kept", async () => {
  const { id } = await newAccount();
  await db.$executeRaw`
    insert into sessions (token_hash, account_id, created_at, expires_at)
    select md5(${id}::text || n), ${id}, now() - n * interval '1 s', now() + interval '1 day' from generate_series(1, 1010) n`;
  await deleteEndedSessions(Date.now(), 30, async () => true);
  expect(await db.session.count({ where: { accountId: id } })).toBe(MAX_SESSIONS);
  const oldest = await db.session.findFirst({ where: { accountId: id }, orderBy: { createdAt: "asc" } });
  expect(oldest?.createdAt.getTime()).toBeGreaterThan(Date.now() - 1005 * SECOND - MINUTE);
});

test("a flooded server key stores one sample for each ten seconds, replayed spools included; the server counts as seen and its facts are renewed", async () => {
  const account = await newAccount();
  const { id, key } = await newReportingServer(account.id);
  const send = async (body: object) => {
    const response = await fetch(`${sharedOrigin()}/ingest/v1/check-ins`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: await response.json() };
  };
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - 30 * MINUTE;
  // Delivers a spool with one sample per second of a minute, out of order and without pauses.
  const seconds = Array.from({ length: 60 }, (_, second) => (second * 7) % 60);
  const answers = [];
  for (const second of seconds) answers.push(await send({ sampled_at: start + second * SECOND, cpu_pct: second }));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(answers.filter(({ json }) => json.data.stored)).toHaveLength(6);
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(6);

  const facts = (kernel: string) => ({ facts: { os: "Debian", kernel, cores: 4 } });
  const now = Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND - 10 * SECOND;
  expect(await send({ sampled_at: now, ...facts("old") })).toEqual({ status: 200, json: { data: { stored: true } } });
  const before = await getData<ServerDetail>(`/api/v1/servers/${id}`, account.token);
  expect(await send({ sampled_at: now + 1, ...facts("new") })).toEqual({
    status: 200,
    json: { data: { stored: false } },
  });
  const after = await getData<ServerDetail>(`/api/v1/servers/${id}`, account.token);
  expect(after.facts.kernel).toBe("new");
  expect(after.last_seen).toBeGreaterThan(before.last_seen);
  expect(after.latest_sample?.ts).toBe(now);
});

test("samples of the same ten seconds that arrive at the same moment are one", async () => {
  const { id } = await newServer((await newAccount()).id);
  const start = Math.floor(Date.now() / (10 * SECOND)) * 10 * SECOND;
  const stored = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      storeCheckIn(id, parseReport({ sample: { cpuPct: index } }), {
        sampledAt: new Date(start + index),
        arrivedAt: new Date(start + index),
      }),
    ),
  );
  expect(stored.filter(Boolean)).toHaveLength(1);
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(1);
});
