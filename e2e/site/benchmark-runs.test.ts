import { expect, test } from "vitest";
import { CHECK_INS, typeOf } from "@/e2e/support/agent-protocols";
import { newReportingServer, newServer, newToken } from "@/e2e/support/factories";
import { askOverHttp, getData } from "@/e2e/support/over-http";
import { newVisitor, visitorWithServer } from "@/e2e/support/site";
import type { BenchmarkRuns } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { DAY, MINUTE } from "@/lib/format/time";
import { serverPath } from "@/lib/page-paths";
import { MAX_RUNS_A_DAY, requestBenchmark } from "@/lib/servers/benchmarks";

test("the page shows twenty finished runs at a time, and the API lists all", async () => {
  const { account, page, id } = await visitorWithServer();
  await db.$executeRaw`
    insert into benchmark_runs (server_id, label, status, total, finished_at)
    select ${id}, 'Run ' || n, 'done', 50, now() - n * interval '1 minute' from generate_series(1, 45) n`;
  const shown = () => page.textsOf("[data-run] th");
  const names = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `Run ${from + index}`);
  await page.goto(`/dashboard/servers/${id}?range=7d`);
  expect(shown()).toEqual(names(1, 20));
  expect(page.links("Previous").length).toBe(0);
  await page.follow("Next");
  expect(shown()).toEqual(names(21, 40));
  await page.follow("Next");
  expect(shown()).toEqual(names(41, 45));
  expect(page.links("Next").length).toBe(0);
  expect(new URL(page.url).searchParams.get("range")).toBe("7d");
  await page.follow("Previous");
  expect(shown()).toEqual(names(21, 40));
  await page.goto(`/dashboard/servers/${id}?runs=99`);
  expect(shown()).toEqual(names(41, 45));
  const { benchmarks } = await getData<BenchmarkRuns>(`/api/v1/servers/${id}/benchmarks`, await newToken(account.id));
  expect(benchmarks.map(({ label }) => label)).toEqual(names(1, 45));
});

test("the form allows a server at most twenty benchmark runs a day", async () => {
  const { account, page, id } = await visitorWithServer();
  const now = Date.now();
  for (let run = 0; run < MAX_RUNS_A_DAY; run++) {
    const requested = await requestBenchmark(account.id, id, `Run ${run}`, new Date(now - DAY / 2 + run));
    expect(requested.kind).toBe("requested");
    await db.benchmarkRun.updateMany({ where: { serverId: id, status: "pending" }, data: { status: "running" } });
  }
  await page.goto(`/dashboard/servers/${id}/benchmark`);
  await page.press("Show the line to run", { "Label of the run": "One more" });
  expect(page.alerts.join()).toContain("A server has at most 20 runs a day.");
  expect(await db.benchmarkRun.count({ where: { serverId: id } })).toBe(MAX_RUNS_A_DAY);
  const other = await newServer(account.id);
  expect((await requestBenchmark(account.id, other.id, "Elsewhere")).kind).toBe("requested");
  expect((await requestBenchmark(account.id, id, "Later", new Date(now + DAY))).kind).toBe("requested");
  await page.goto(serverPath(other.id));
  expect(page.textOf(page.part("Benchmarks"))).toMatch(
    /None finished yet\..*Waiting for the result: “Elsewhere”, requested/,
  );
});

test("the benchmark page says what blocks verification, and following it verifies the benchmark", async () => {
  const { account, page } = await newVisitor();
  const { id, key } = await newReportingServer(account.id);
  const facts = { os: "Debian GNU/Linux 13", kernel: "6.12.48", cores: 4, memory_mb: 7952 };
  const send = (path: string, body: object) => {
    // As from a machine in a private network.
    const headers = { ...typeOf(CHECK_INS), Authorization: `Bearer ${key}`, "X-Forwarded-For": "10.1.2.3" };
    return askOverHttp(path, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const blocked = "A result could not be verified yet";
  const open = async () => {
    await page.goto(`/dashboard/servers/${id}/benchmark`);
    return page.hasPart(blocked) ? page.textOf(page.part(blocked)) : null;
  };
  const unknown = await open();
  expect(unknown).toContain("does not know the number of cores, memory, and kernel of this server");
  expect(unknown).toContain("it has never checked in");
  await send(CHECK_INS, { facts, sampled_at: Date.now() - MINUTE });
  const hidden = await open();
  expect(hidden).not.toContain("number of cores");
  expect(hidden).toContain("It checks in from 10.1.2.3, which is in a private network");
  const lines = page.part(blocked).find("code").text();
  const [, variable, value] = /^echo (\w+)=(\S+) \| sudo tee -a \/etc\/console-agent\/environment\n/.exec(lines) ?? [];
  expect([variable, value]).toEqual(["PUBLIC_IP", "10.1.2.3"]);
  // What the daemon makes of that variable.
  await send(CHECK_INS, { facts, public_ip: value });
  expect(await open()).toBeNull();
  expect(page.text).toContain("Label of the run");
  const requested = await requestBenchmark(account.id, id, "Monthly");
  const result = {
    os: { kernel: facts.kernel },
    cpu: { cores: facts.cores, freq: "2445.404 MHz" },
    mem: { ram: facts.memory_mb * 1024 },
    geekbench: [{ version: 6, single: 1500, multi: 4000 }],
  };
  const { text } = await send(`/ingest/v1/benchmarks/${requested.kind === "requested" && requested.rawKey}`, result);
  expect(text).toContain("Verified: this is the server that the console knows.");
});
