import { expect, test, vi } from "vitest";
import { getData } from "@/e2e/support/ask";
import { facts, sample, send } from "@/e2e/support/check-ins";
import { newOwnedReporter, newReportingServer } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";

// What the endpoint of daemons takes and stores. Tests stand behind one trusted proxy, so each can come from its own IP.

const stateOf = (id: number) => db.server.findUniqueOrThrow({ where: { id }, include: { keys: true } });
const samplesOf = (serverId: number) => db.telemetrySample.count({ where: { serverId } });

test("the API shows a server's check-in, and the use of its key is recorded", async () => {
  const { token, id, key } = await newOwnedReporter();
  const from = Date.now();
  const answer = await send(key, { ...sample, facts, sampled_at: from }, { headers: { "X-Forwarded-For": "9.9.9.9" } });
  expect(answer).toMatchObject({ status: 200, json: { data: { stored: true } } });
  const detail = await getData<{ last_seen: number }>(`/api/v1/servers/${id}`, token);
  expect(detail).toMatchObject({
    online: true,
    public_ip: "9.9.9.9",
    facts,
    latest_sample: { ts: from, cpu_pct: 12.5, mem_used_mb: 900 },
  });
  expect(detail.last_seen).toBeGreaterThanOrEqual(from);
  const { sample: stored, keys } = await stateOf(id);
  expect(stored).toMatchObject({ net_retransmit_pct: 0.2, uptime_s: 5000, oom_kills: 0, failed_units: 0 });
  expect(keys).toMatchObject([{ lastUsedIp: "9.9.9.9", lastUsedAt: expect.any(Date) }]);
});

test("the daemon's public ip comes first, then a public peer; nothing else replaces it", async () => {
  const { id, key } = await newReportingServer();
  const ipAfter = async (body: object, peer: string) => {
    await send(key, { ...sample, ...body }, { headers: { "X-Forwarded-For": peer } });
    return (await stateOf(id)).publicIp;
  };
  expect(await ipAfter({}, "10.1.2.3")).toBeNull();
  expect(await ipAfter({}, "2606:4700::1111")).toBe("2606:4700::1111");
  expect(await ipAfter({ public_ip: "192.0.2.77" }, "9.9.9.9")).toBe("192.0.2.77");
  expect(await ipAfter({ public_ip: null }, "192.168.1.1")).toBe("192.0.2.77");
});

test("a wrong field is refused by name, and nothing of the check-in is kept", async () => {
  const { id, key } = await newReportingServer();
  const before = await stateOf(id);
  let nested: unknown = "deep";
  for (let depth = 0; depth < 20; depth++) nested = { nested };
  for (const [wrong, message] of [
    [{ cpu_pct: 100.1 }, /^cpu_pct: expected number to be <=100\.$/],
    [{ cpu_pct: "NaN" }, /^cpu_pct: expected number, received string\.$/],
    [{ load5: -1 }, /^load5: /],
    [{ mem_used_mb: 1e300 }, /^mem_used_mb: /],
    [{ oom_kills: 0.5 }, /^oom_kills: /],
    [{ uptime_s: true }, /^uptime_s: /],
    [{ cpuPct: 5 }, /^cpuPct: is not a field of a check-in\.$/],
    [{ server_id: 7 }, /^server_id: is not a field of a check-in\.$/],
    [{ ["x".repeat(5000)]: 5 }, /^x{64}: is not a field of a check-in\.$/],
    [
      { sampled_at: Date.now() + HOUR },
      /^sampled_at: is 60 minutes ahead of the console's clock.* Check this machine's clock\.$/,
    ],
    [{ sampled_at: Date.now() - 3 * HOUR }, /^sampled_at: is 180 minutes old, and 2 hours are the most\.$/],
    [{ sampled_at: "now" }, /^sampled_at: /],
    [{ sampled_at: 1e300 }, /^sampled_at: /],
    [{ public_ip: "web-1.example" }, /^public_ip: must be an IPv4 or IPv6 address\.$/],
    [{ daemon: "a b" }, /^daemon: must be 8 to 64 letters/],
    [{ facts: { ...facts, cores: 0 } }, /^facts\.cores: /],
    [{ facts: { ...facts, extra: nested } }, /^facts\.extra: must be a text, a number or a boolean\.$/],
    [{ facts: { ...facts, os: "a\u202Eb" } }, /^facts\.os: holds control or text-direction characters\.$/],
    [{ facts: { ...facts, os: "a\u0000b" } }, /^facts\.os: holds control/],
    [{ facts: { ...facts, os: "\ud800" } }, /^facts\.os: holds control/],
    [{ facts: { ...facts, os: "x".repeat(257) } }, /^facts\.os: /],
    [{ facts: { ...facts, "<b>": 1 } }, /^facts: has a name that is not made of/],
    [
      { facts: { ...facts, ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}`, n])) } },
      /^facts: has more than 32/,
    ],
    [{ facts: [] }, /^facts: /],
  ] as [object, RegExp][]) {
    const answer = await send(key, { ...sample, ...wrong });
    expect(answer.status, JSON.stringify(wrong).slice(0, 100)).toBe(400);
    expect(answer.json).toEqual({ error: expect.stringMatching(message) });
  }
  for (const [text, message] of [
    ["", /not JSON/],
    ["{", /not JSON/],
    ["null", /must be a JSON object/],
    ["[]", /must be a JSON object/],
    ['{"cpu_pct":NaN}', /not JSON/],
    ['{"cpu_pct":1e999}', /^cpu_pct: /],
    ["[".repeat(15_000), /nested deeper than 32 levels/],
  ] as const) {
    const answer = await send(key, null, { body: text });
    expect(answer.status, text.slice(0, 50)).toBe(400);
    expect(answer.json).toEqual({ error: expect.stringMatching(message) });
  }
  // Why, and since when: of the first reason in a minute.
  const { refusal, refusedSince, ...state } = await stateOf(id);
  expect([refusal, refusedSince]).toEqual(["cpu_pct: expected number to be <=100.", expect.any(Date)]);
  expect({ ...state, refusal: null, refusedSince: null }).toEqual(before);
  // Markup is text like any other.
  expect((await send(key, { facts: { ...facts, os: "<script>alert(1)</script>" } })).status).toBe(200);
});

test("samples are judged by PostgreSQL's time, which every answer states", async () => {
  const { token, id, key } = await newOwnedReporter();
  for (const off of [HOUR, -HOUR]) {
    const [{ now = 0 } = {}] = await db.$queryRaw<{ now: number }[]>`select extract(epoch from now())::float8 as now`;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + off });
    try {
      const sampledAt = Math.floor(now * SECOND) + off / HOUR;
      const answers = [
        await send(key, { ...sample, sampled_at: sampledAt }),
        await send(key, { ...sample, sampled_at: sampledAt + HOUR }),
        await send(null, sample),
        await send(key, sample, { method: "GET" }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 405]);
      expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({ online: true });
      for (const { headers } of answers) {
        expect(Math.abs(Number(headers.get("x-console-time")) - now)).toBeLessThan(MINUTE / SECOND);
        expect(headers.get("x-console-time")).toMatch(/^\d{10}$/);
      }
    } finally {
      vi.useRealTimers();
    }
  }
  expect(await samplesOf(id)).not.toBe(0);
});

test("a body beyond 16 KB is refused, and stores nothing", async () => {
  const { id, key } = await newReportingServer();
  const padded = (bytes: number) => JSON.stringify({ ...sample, facts }).padEnd(bytes);
  expect((await send(key, null, { body: padded(16 * 1024) })).status).toBe(200);
  const larger = await send(key, null, { body: padded(16 * 1024 + 1) });
  expect(larger).toMatchObject({ status: 413, json: { error: "The body is larger than 16 KB." } });
  expect(await samplesOf(id)).toBe(1);
});
