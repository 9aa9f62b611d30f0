import { expect, test } from "vitest";
import { call, getData } from "@/e2e/support/ask";
import { newAccount, newBenchmarkRun, newOwnedServer, putSample, unique } from "@/e2e/support/factories";
import { recordCheckIn } from "@/e2e/support/record-check-in";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { cancelBenchmark, listOpenBenchmarks, requestBenchmark } from "@/lib/servers/benchmarks";
import { createServer, removeServer, renameServer } from "@/lib/servers/management";
import { listServerKeys, replaceServerKey } from "@/lib/servers/server-keys";
import { hashToken, isWellFormedToken } from "@/lib/tokens/format";

// What the pages and the command line do with servers, keys and benchmark runs.

const names = { label: "Web front", hostname: "web-1.example.net" };

/** A server as the page adds it. */
async function newManagedServer(accountId: number): Promise<{ id: number; rawKey: string }> {
  const created = await createServer(accountId, names);
  if (created.kind !== "created") throw new Error(`Not created: ${created.kind}`);
  return created;
}

test("a form sent twice adds one server with one key, stored as a hash", async () => {
  const { id: accountId, token } = await newAccount();
  const formNonce = unique("form-nonce");
  const [one, two] = await Promise.all([
    createServer(accountId, { ...names, formNonce }),
    createServer(accountId, { ...names, formNonce }),
  ]);
  const created = one.kind === "created" ? one : two;
  expect([one.kind, two.kind].sort()).toEqual(["already-created", "created"]);
  const { id } = one as { id: number };
  expect(two).toMatchObject({ id });
  const rawKey = created.kind === "created" ? created.rawKey : "";
  expect(isWellFormedToken(rawKey, "serverKey")).toBe(true);
  expect(await getData("/api/v1/servers", token)).toMatchObject({ servers: [{ id, ...names, online: false }] });
  const keys = await db.serverKey.findMany({ where: { serverId: id }, omit: { keyHash: false } });
  expect(keys).toMatchObject([{ keyHash: hashToken(rawKey), hint: rawKey.slice(-4), expiresAt: null }]);
  expect(JSON.stringify(await listServerKeys(accountId, id))).not.toContain(hashToken(rawKey));
});

test("a replaced key works for one more hour, and only one key is current", async () => {
  const { accountId, id } = await newOwnedServer();
  const now = new Date();
  await replaceServerKey(accountId, id, now);
  const [first] = await listServerKeys(accountId, id, now);
  await replaceServerKey(accountId, id, now);
  expect(await listServerKeys(accountId, id, now)).toMatchObject([
    { expiresAt: null },
    { id: first?.id, expiresAt: new Date(now.getTime() + HOUR) },
  ]);
  expect(await listServerKeys(accountId, id, new Date(now.getTime() + HOUR))).toHaveLength(1);
  await Promise.all(Array.from({ length: 5 }, () => replaceServerKey(accountId, id, now)));
  expect(await db.serverKey.count({ where: { serverId: id, expiresAt: null } })).toBe(1);
  for (let more = 0; more < 3; more++) await replaceServerKey(accountId, id, now);
  expect(await replaceServerKey(accountId, id, now)).toMatchObject({ kind: "too-often" });
  // An hour later the replaced keys have expired and are deleted.
  await replaceServerKey(accountId, id, new Date(now.getTime() + HOUR));
  expect(await db.serverKey.count({ where: { serverId: id } })).toBe(2);
});

test("renaming shows in the API; removing takes keys, samples and runs along", async () => {
  const { id: accountId, token } = await newAccount();
  const { id } = await newManagedServer(accountId);
  expect(await renameServer(accountId, id, { label: "  Lobby  ", hostname: "lobby.example.net" })).toEqual({
    kind: "renamed",
  });
  expect(await getData(`/api/v1/servers/${id}`, token)).toMatchObject({
    label: "Lobby",
    hostname: "lobby.example.net",
  });
  await newBenchmarkRun(id);
  await putSample(id, new Date());
  expect(await removeServer(accountId, id)).toBe(true);
  expect((await call(`/api/v1/servers/${id}`, token)).status).toBe(404);
  const where = { where: { serverId: id } };
  expect([
    await db.serverKey.count(where),
    await db.telemetrySample.count(where),
    await db.benchmarkRun.count(where),
  ]).toEqual([0, 0, 0]);
  expect(await removeServer(accountId, id)).toBe(false);
});

test("unusable labels and hostnames are refused with a sentence, and nothing is added", async () => {
  const { id: accountId } = await newAccount();
  for (const [wrong, message] of [
    [{ label: " " }, "Enter a label."],
    [{ label: "x".repeat(65) }, "A label has at most 64 characters."],
    [{ label: "a\u202Eb" }, "text-direction"],
    [{ label: "csrv_0123456789" }, "looks like a token or a key"],
    [{ hostname: "a".repeat(254) }, "A hostname has at most 253 characters; this one has 254."],
    [{ hostname: "<b>web</b>" }, "letters, digits and hyphens"],
    [{ hostname: "web..example" }, "letters, digits and hyphens"],
    [{ hostname: "web-\u0430.example" }, "letters, digits and hyphens"],
  ] as const) {
    expect(await createServer(accountId, { ...names, ...wrong })).toEqual({
      kind: "invalid",
      field: Object.keys(wrong)[0],
      message: expect.stringContaining(message),
    });
  }
  expect(await db.server.count({ where: { accountId } })).toBe(0);
  // Markup is text like any other: pages and JSON escape it.
  expect((await createServer(accountId, { ...names, label: "<b>\u{1F3AE}</b>" })).kind).toBe("created");
});

test("a server has at most one pending run, and asking again renews its key", async () => {
  const { accountId, id } = await newOwnedServer();
  const results = await Promise.all(["One", "Two", "Three"].map((label) => requestBenchmark(accountId, id, label)));
  const requested = results.flatMap((result) => (result.kind === "requested" ? [result] : []));
  expect(new Set(requested.map((run) => run.id)).size).toBe(1);
  expect(new Set(requested.map((run) => run.rawKey)).size).toBe(3);
  const [run] = await listOpenBenchmarks(accountId, id);
  expect(run).toMatchObject({ id: requested[0]?.id, status: "pending", isExpired: false });
  expect(await listOpenBenchmarks(accountId, id, new Date(Date.now() + DAY))).toMatchObject([{ isExpired: true }]);
  expect(await cancelBenchmark(accountId, run?.id ?? 0)).toBe(true);
  expect(await listOpenBenchmarks(accountId, id)).toEqual([]);
  const done = await newBenchmarkRun(id);
  expect(await cancelBenchmark(accountId, done.id)).toBe(false);
});

test("a server without a hostname takes the one that its machine reports, once", async () => {
  const { id: accountId } = await newAccount();
  const created = await createServer(accountId, { label: "Bare", hostname: " " });
  const id = created.kind === "created" ? created.id : 0;
  const hostname = async () => (await db.server.findUniqueOrThrow({ where: { id } })).hostname;
  const facts = { os: "Debian", kernel: "6", cores: 2 };
  const report = (told: unknown, minute: number) =>
    recordCheckIn(id, { facts: { ...facts, hostname: told }, sample: {} }, new Date(Date.now() + minute * MINUTE));
  for (const [minute, told] of [undefined, "", "<b>web</b>", 7, "a".repeat(254), "web..example"].entries()) {
    await report(told, minute);
    expect(await hostname(), String(told)).toBe("");
  }
  await report("web-7.example.com", 10);
  expect(await hostname()).toBe("web-7.example.com");
  await report("other.example.com", 11);
  expect(await hostname()).toBe("web-7.example.com");
});

test("a replaced key and changed names are events; first keys and equal names none", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newManagedServer(accountId);
  const told = () =>
    db.event.findMany({
      where: { subject: "server", subjectId: id },
      select: { kind: true, facts: true },
      orderBy: { id: "asc" },
    });
  await renameServer(accountId, id, names);
  expect(await told()).toEqual([]);
  await renameServer(accountId, id, { ...names, label: "Web back" });
  await replaceServerKey(accountId, id);
  expect(await told()).toEqual([
    { kind: "settings_changed", facts: { label: "Web front" } },
    { kind: "key_replaced", facts: {} },
  ]);
});
