import { expect, test } from "vitest";
import { ask, call, getData } from "@/e2e/support/ask";
import { newOwnedServer } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { DAY, SECOND } from "@/lib/format/time";
import { cancelBenchmark, requestBenchmark } from "@/lib/servers/benchmarks";
import { replaceServerKey } from "@/lib/servers/server-keys";
import { mintToken } from "@/lib/tokens/format";

// Where YABS delivers its result with -s: the key is in the path, and the answer is read in a terminal.

const facts = { os: "Debian GNU/Linux 13", kernel: "6.12.48", cores: 4, memory_mb: 7952 };
const RESULT =
  '{"version":"v2026-07-03","os":{"kernel":"6.12.48"},"cpu":{"cores":4,"freq":"2445.404 MHz"},"mem":{"ram":8142440},' +
  '"fio":[{"bs":"4k","speed_rw":300000,"iops_rw":75000},{"bs":"1m","speed_rw":1000000,"iops_rw":976}],"iperf":]' +
  ',"geekbench":[{"version":6,"single":1500,"multi":4000,"url":"x"}]}';

async function newRun(data: { publicIp?: string; facts?: object; requestedAt?: Date } = {}) {
  const server = { publicIp: data.publicIp ?? "9.9.9.9", facts: data.facts ?? facts };
  const { accountId, token, id: serverId } = await newOwnedServer(server);
  const requested = await requestBenchmark(accountId, serverId, "Monthly", data.requestedAt);
  if (requested.kind !== "requested") throw new Error(`Not requested: ${requested.kind}`);
  const runs = () => getData<{ benchmarks: unknown[] }>(`/api/v1/servers/${serverId}/benchmarks`, token);
  return { accountId, token, serverId, id: requested.id, key: requested.rawKey, runs };
}

async function upload(key: string, body: string, headers: Record<string, string> = {}) {
  const sent = { "Content-Type": "application/json", "X-Forwarded-For": "9.9.9.9", ...headers };
  const answer = await ask(`/ingest/v1/benchmarks/${key}`, { method: "POST", body, headers: sent });
  return { status: answer.status, text: answer.text, type: answer.headers.get("content-type") };
}

test("an upload finishes the run as verified; the log and the key never leave", async () => {
  const { serverId, token, key, id, runs } = await newRun();
  expect((await runs()).benchmarks).toEqual([]);
  const answer = await upload(key, RESULT);
  expect(answer).toEqual({
    status: 200,
    type: "text/plain; charset=utf-8",
    text: expect.stringMatching(
      /^\n"Monthly": 64 of 100 \(cpu 58, disk 70, network not measured\)\.\nVerified: .*\nSee http:\/\/localhost\/dashboard\/servers\/\d+\n$/,
    ),
  });
  expect(answer.text).toContain(`/dashboard/servers/${serverId}\n`);
  expect((await runs()).benchmarks).toEqual([
    {
      id,
      label: "Monthly",
      status: "done",
      scores: { cpu: 58, disk: 70, network: null, stability: null, total: 64 },
      verified: true,
      finished_at: expect.any(Number),
    },
  ]);
  const run = await db.benchmarkRun.findUniqueOrThrow({ where: { id }, omit: { agentTokenHash: false } });
  expect([run.log, run.agentTokenHash]).toEqual([RESULT, null]);
  expect(await db.event.findMany({ where: { subject: "server", subjectId: serverId } })).toMatchObject([
    { kind: "benchmark", facts: { label: "Monthly", total: 64 } },
  ]);
  expect((await call(`/api/v1/servers/${serverId}/benchmarks`, token)).text).not.toContain("v2026-07-03");
});

test("a result from another machine is not verified, and the answer names the mismatches", async () => {
  for (const [data, headers, message] of [
    [{ facts: { ...facts, cores: 8 } }, {}, "its number of cores is another."],
    [{ facts: { ...facts, memory_mb: 7952 * 1.06 } }, {}, "its memory is another."],
    [{ facts: { ...facts, kernel: "6.1" } }, {}, "its kernel is another."],
    [{}, { "X-Forwarded-For": "9.9.9.8" }, "its public IP is another."],
    [
      { facts: {} },
      {},
      "its number of cores is not known yet, its memory is not known yet, its kernel is not known yet.",
    ],
  ] as [Parameters<typeof newRun>[0], Record<string, string>, string][]) {
    const { key, runs } = await newRun(data);
    const { status, text } = await upload(key, RESULT, headers);
    expect([status, text]).toEqual([
      200,
      expect.stringContaining(`Not verified, by what the console knows of the server: ${message}`),
    ]);
    expect((await runs()).benchmarks).toMatchObject([{ verified: false }]);
  }
});

test("verification uses the public ip of check-ins, not the ip that the daemon reports", async () => {
  for (const [checkedInFrom, verified] of [
    ["9.9.9.9", true],
    ["8.8.8.8", false],
    // A private ip does not identify the machine, so the reported ip counts.
    ["192.168.1.7", true],
  ] as const) {
    const { accountId, serverId, key, runs } = await newRun({ publicIp: "9.9.9.9" });
    await replaceServerKey(accountId, serverId);
    const data = { lastUsedAt: new Date(), lastUsedIp: checkedInFrom };
    await db.serverKey.updateMany({ where: { serverId }, data });
    expect((await upload(key, RESULT)).status).toBe(200);
    expect((await runs()).benchmarks, checkedInFrom).toMatchObject([{ verified }]);
  }
});

test("only an accepted result uses up the key, and only one can be accepted", async () => {
  const { key, runs } = await newRun();
  for (const [body, headers, status, message] of [
    ["no json", {}, 400, "This is no JSON"],
    ["{}", {}, 400, "It measured nothing."],
    [`{"fio":${"[".repeat(60_000)}`, {}, 400, "nested deeper than 32 levels"],
    [RESULT.padEnd(64 * 1024 + 1), {}, 413, "larger than 64 KB"],
    [RESULT, { "Content-Type": "text/html" }, 415, "Send JSON"],
  ] as [string, Record<string, string>, number, string][]) {
    const answer = await upload(key, body, headers);
    expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(message)]);
    expect(answer.text).toMatch(/^\nThe console did not take this result: .*\n$/);
  }
  const statuses = (await Promise.all(Array.from({ length: 10 }, () => upload(key, RESULT)))).map(
    ({ status }) => status,
  );
  expect(statuses.sort()).toEqual([200, ...new Array(9).fill(404)]);
  expect((await runs()).benchmarks).toHaveLength(1);
});

test("every unusable benchmark key is the same 404 and changes nothing", async () => {
  const [used, cancelled, renewed, old] = [
    await newRun(),
    await newRun(),
    await newRun(),
    await newRun({ requestedAt: new Date(Date.now() - DAY - SECOND) }),
  ];
  await upload(used.key, RESULT);
  await cancelBenchmark(cancelled.accountId, cancelled.id);
  await requestBenchmark(renewed.accountId, renewed.serverId, "Again");
  const keys = [
    used.key,
    cancelled.key,
    renewed.key,
    old.key,
    mintToken("benchmarkKey"),
    mintToken("serverKey"),
    "x",
    "%00",
  ];
  for (const key of keys) {
    expect(await upload(key, RESULT), key).toMatchObject({
      status: 404,
      text: expect.stringContaining("this key is unknown, used, cancelled or older than 24 hours."),
    });
  }
  expect((await used.runs()).benchmarks).toHaveLength(1);
  for (const { runs } of [cancelled, renewed, old]) expect((await runs()).benchmarks).toEqual([]);
});
