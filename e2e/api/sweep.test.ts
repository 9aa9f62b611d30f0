import { expect, test } from "vitest";
import { newAccount, newServer } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { takeLease } from "@/lib/sweep/lease";
import { deleteOld } from "@/lib/sweep/retention";
import { sweep } from "@/lib/sweep/sweep";

// Which instance sweeps, and in which steps. What a sweep deletes is in e2e/operations/sweep.spec.ts.

test("of instances starting together one sweeps, and the next sweep waits an hour", async () => {
  const name = `test-${Math.random()}`;
  const leases = await Promise.all([1, 2, 3, 4].map(() => takeLease("if-due", name)));
  const [lease, ...others] = leases.filter((lease) => lease !== null);
  expect(others).toEqual([]);
  expect(await lease?.renew()).toBe(true);
  expect(await takeLease("now", name)).toBeNull();
  await lease?.finish({ counts: { samples: 7 }, seconds: 1, failed: ["tokens"] });
  expect(await db.sweep.findUnique({ where: { name } })).toMatchObject({
    holder: null,
    report: { samples: 7, seconds: 1, failed: ["tokens"] },
  });
  expect(await takeLease("if-due", name)).toBeNull();
  const byHand = await takeLease("now", name);
  expect(byHand).not.toBeNull();
  await byHand?.finish({ counts: {}, seconds: 0, failed: [] });
  await db.$executeRaw`update sweeps set started_at = now() - interval '61 minutes' where name = ${name}`;
  expect(await takeLease("if-due", name)).not.toBeNull();
});

test("a dead instance is replaced after its lease and can neither continue nor finish", async () => {
  const name = `test-${Math.random()}`;
  const dead = await takeLease("if-due", name);
  expect(await takeLease("if-due", name)).toBeNull();
  await db.$executeRaw`update sweeps set leased_until = now() - interval '1 second' where name = ${name}`;
  const next = await takeLease("if-due", name);
  expect(next).not.toBeNull();
  expect(await dead?.renew()).toBe(false);
  await dead?.finish({ counts: { samples: 1 }, seconds: 1, failed: [] });
  expect(await db.sweep.findUnique({ where: { name } })).toMatchObject({ finishedAt: null, report: {} });
  expect(await next?.renew()).toBe(true);
});

test("rows are deleted step by step, and a stopped step leaves the rest", async () => {
  const { id } = await newServer((await newAccount()).id);
  await db.$executeRaw`
    insert into benchmark_runs (server_id, label, status, finished_at, log)
    select ${id}, 'l', 'done', now() - n * interval '1 s', 'log' from generate_series(1, 2105) n`;
  const logs = () => db.benchmarkRun.count({ where: { serverId: id, log: { not: "" } } });
  expect(await deleteOld("logs", async () => false)).toBe(0);
  expect(await logs()).toBe(2105);
  await deleteOld("logs", async () => true);
  expect(await logs()).toBe(5);
});

test("where a step fails the others do their work, and the report names it", async () => {
  await db.$executeRaw`alter table hostname_claims rename to elsewhere`;
  try {
    const report = await sweep("now");
    expect(report?.failed).toEqual(["claims"]);
    // What the last step measures.
    expect(report?.counts.database_bytes).toBeGreaterThan(0);
  } finally {
    await db.$executeRaw`alter table elsewhere rename to hostname_claims`;
  }
  expect((await sweep("now"))?.failed).toEqual([]);
});
