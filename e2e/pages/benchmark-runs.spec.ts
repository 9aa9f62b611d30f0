import { newServer, newToken } from "@/e2e/support/factories";
import { expect, getData } from "@/e2e/support/fixtures";
import { test } from "@/e2e/support/pages";
import type { BenchmarkRuns } from "@/lib/api/schemas";
import { db } from "@/lib/database/client";
import { DAY } from "@/lib/format/time";
import { serverPath } from "@/lib/page-paths";
import { MAX_RUNS_A_DAY, requestBenchmark, startBenchmark } from "@/lib/servers/benchmarks";

test("the page shows twenty finished runs at a time, with links that keep the range, and the API lists all that are kept", async ({
  page,
  account,
}) => {
  const { id } = await newServer(account.id);
  await db.$executeRaw`
    insert into benchmark_runs (server_id, label, status, total, finished_at)
    select ${id}, 'Run ' || n, 'done', 50, now() - n * interval '1 minute' from generate_series(1, 45) n`;
  const shown = () => page.locator("[data-run] th").allTextContents();
  const names = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `Run ${from + index}`);
  await page.goto(`/dashboard/servers/${id}?range=7d`);
  expect(await shown()).toEqual(names(1, 20));
  await expect(page.getByRole("link", { name: "Later runs" })).toHaveCount(0);
  await page.getByRole("link", { name: "Earlier runs" }).click();
  await expect.poll(shown).toEqual(names(21, 40));
  await page.getByRole("link", { name: "Earlier runs" }).click();
  await expect.poll(shown).toEqual(names(41, 45));
  await expect(page.getByRole("link", { name: "Earlier runs" })).toHaveCount(0);
  expect(new URL(page.url()).searchParams.get("range")).toBe("7d");
  await page.getByRole("link", { name: "Later runs" }).click();
  await expect.poll(shown).toEqual(names(21, 40));
  await page.goto(`/dashboard/servers/${id}?runs=99`);
  await expect(page.getByText("No earlier run.")).toBeVisible();
  const { benchmarks } = await getData<BenchmarkRuns>(`/api/v1/servers/${id}/benchmarks`, await newToken(account.id));
  expect(benchmarks.map(({ label }) => label)).toEqual(names(1, 45));
});

test("a server has twenty benchmark runs a day at most: the form says so, and a day later it is free again", async ({
  page,
  account,
}) => {
  const { id } = await newServer(account.id);
  const now = Date.now();
  for (let run = 0; run < MAX_RUNS_A_DAY; run++) {
    const requested = await requestBenchmark(account.id, id, `Run ${run}`, new Date(now - DAY / 2 + run));
    if (requested.kind === "requested") await startBenchmark(requested.id);
    expect(requested.kind).toBe("requested");
  }
  await page.goto(`/dashboard/servers/${id}/benchmark`);
  await page.getByLabel("Label of the run").fill("One more");
  await page.getByRole("button", { name: "Show the line to run" }).click();
  await expect(page.getByRole("alert").getByText("A server has at most 20 runs a day.")).toBeVisible();
  expect(await db.benchmarkRun.count({ where: { serverId: id } })).toBe(MAX_RUNS_A_DAY);
  const other = await newServer(account.id);
  expect((await requestBenchmark(account.id, other.id, "Elsewhere")).kind).toBe("requested");
  expect((await requestBenchmark(account.id, id, "Later", new Date(now + DAY))).kind).toBe("requested");
  await page.goto(serverPath(other.id));
  await expect(page.getByRole("region", { name: "Benchmarks" })).toContainText(
    /None finished yet\..*Waiting for the result: “Elsewhere”, requested/,
  );
});
