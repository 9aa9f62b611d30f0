import { randomUUID } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator } from "playwright/test";
import { agentConfigurations, KEY_PLACE } from "@/app/dashboard/servers/agent-configurations";
import { AgentBench } from "@/e2e/support/agent";
import { newBenchmarkRun, newGameService, newReportingServer, newServer, newToken } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { expect, test } from "@/e2e/support/pages";
import { runProgram } from "@/e2e/support/run-program";
import { ENDPOINTS } from "@/lib/api/contract";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { API_REFERENCE } from "@/lib/page-paths";
import { requestBenchmark } from "@/lib/servers/benchmarks";

// Pages and the programs that they tell people to run. Apart from the other tests of these pages, because a spec that asks
// for programs runs once more as on a machine that has none.

test("signed in, every example has the reader's ids and URL and runs unchanged", async ({ page, account }) => {
  needs("curl", "python3");
  test.slow();
  const { id: server } = await newServer(account.id);
  await newBenchmarkRun(server);
  const { id: service } = await newGameService(account.id);
  const token = await newToken(account.id);
  await page.goto(API_REFERENCE);
  for (const [path] of ENDPOINTS) {
    const url = sharedOrigin() + path.replace(":id", String(path.includes("/servers") ? server : service));
    const article = page.getByRole("article", { name: `GET ${path.replace(":id", "{id}")}`, exact: true });
    const example = async (language: string) =>
      (await article
        .locator("figure")
        .filter({ hasText: `${language}: ` })
        .locator("pre")
        .textContent()) ?? "";
    const curl = await example("curl");
    expect(curl).toBe(`curl -sS "${url}" -H "Authorization: Bearer $TOKEN"`);
    const [fromCurl, fromPython, fromTypeScript] = await Promise.all([
      run("bash", ["-c", curl], token),
      run("python3", ["-c", await example("Python")], token),
      run(process.execPath, ["--input-type=module", "-e", await example("TypeScript")], token),
    ]);
    const { data } = JSON.parse(fromCurl) as { data: unknown };
    expect(data, url).toBeTruthy();
    expect(timeless(JSON.parse(fromPython)), url).toEqual(timeless(data));
    expect(timeless(JSON.parse(fromTypeScript)), url).toEqual(timeless(data));
    // PowerShell is not at hand everywhere: the same URL, the same header, the same part of the answer.
    const powerShell = await example("PowerShell");
    expect(powerShell).toContain(`-Uri "${url}"`);
    expect(powerShell).toContain('@{ Authorization = "Bearer $env:TOKEN" }');
    expect(powerShell).toMatch(/^\$body = Invoke-RestMethod .*-Headers \$headers/m);
    expect(powerShell).toMatch(/^\$body\.data \|/m);
  }
});

/** A score moves from second to second. */
function timeless(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (/^score|freshness/.test(key) ? null : inner)));
}

async function run(program: string, args: string[], token: string): Promise<string> {
  const { code, output, errors } = await runProgram(program, args, { TOKEN: token });
  expect(code, `${program} ${args.join(" ")}\n${errors}`).toBe(0);
  return output;
}

test("Prometheus, TOML and YAML take the configurations as they are shown", async () => {
  needs("promtool", "python3 with yaml");
  const shown = agentConfigurations("https://console.example.com");
  const fileOf = (name: string) => {
    const file = test.info().outputPath(name.replaceAll(" ", "-"));
    writeFileSync(file, shown.find((one) => one.name === name)?.text ?? "");
    return file;
  };
  for (const [program, ...args] of [
    ["promtool", "check", "config", fileOf("Prometheus")],
    ["python3", "-c", "import sys, tomllib; tomllib.load(open(sys.argv[1], 'rb'))['outputs']", fileOf("Telegraf")],
    [
      "python3",
      "-c",
      "import sys, yaml; yaml.safe_load(open(sys.argv[1]))['service']",
      fileOf("OpenTelemetry Collector"),
    ],
  ] as [string, ...string[]][]) {
    const { code, output, errors } = await runProgram(program, args);
    expect(code, output + errors).toBe(0);
  }
  for (const { text } of shown) expect(text).toContain(KEY_PLACE);
  const proxmox = shown.find(({ name }) => name === "Proxmox VE")?.text;
  expect(proxmox).toContain("--server console.example.com --port 443 --influxdbproto https");
});

test("the benchmark page says what blocks verification, and following it verifies the benchmark", async ({
  page,
  account,
}) => {
  needs("dash", "curl");
  const { id, key } = await newReportingServer(account.id);
  const section = page.getByRole("region", { name: "A result could not be verified yet" });
  const open = () => page.goto(`/dashboard/servers/${id}/benchmark`);
  await open();
  await expect(section).toContainText("does not know the number of cores, memory, and kernel of this server");
  await expect(section).toContainText("it has never checked in");

  // The tests come from 127.0.0.1, which is as private as any.
  const bench = new AgentBench();
  try {
    bench.shim("ping", "echo '5 packets transmitted, 5 received, 0% packet loss'");
    const once = (variables = {}) => bench.run(["dash"], ["once", sharedOrigin()], `${key}\n`, variables);
    expect((await once()).code).toBe(0);
    await open();
    await expect(section).not.toContainText("number of cores");
    await expect(section).toContainText("It checks in from 127.0.0.1, which is in a private network");
    const lines = String(await section.locator("code").textContent());
    const [, variable = "", value = ""] =
      /^echo (\w+)=(\S+) \| sudo tee -a \/etc\/console-agent\/environment\n/.exec(lines) ?? [];
    expect([variable, value]).toEqual(["PUBLIC_IP", "127.0.0.1"]);
    expect((await once({ [variable]: "web-1" })).stderr).toContain("PUBLIC_IP is not an ip.");
    // Two check-ins of the same second are one, and the first one counts.
    await expect(async () => {
      expect((await once({ [variable]: value })).code).toBe(0);
      await open();
      await expect(page.getByLabel("Label of the run")).toBeVisible();
      await expect(section).toHaveCount(0, { timeout: SECOND });
    }).toPass();
  } finally {
    bench.remove();
  }
  const { facts } = await db.server.findUniqueOrThrow({ where: { id } });
  const { cores, memory_mb, kernel } = facts as { cores: number; memory_mb: number; kernel: string };
  const requested = await requestBenchmark(account.id, id, "Monthly");
  const response = await fetch(
    `${sharedOrigin()}/ingest/v1/benchmarks/${requested.kind === "requested" && requested.rawKey}`,
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        os: { kernel },
        cpu: { cores, freq: "2445.404 MHz" },
        mem: { ram: memory_mb * 1024 },
        geekbench: [{ version: 6, single: 1500, multi: 4000 }],
      }),
    },
  );
  expect(await response.text()).toContain("Verified: this is the server that the console knows.");
});

test("an open server page says when two machines report with one key", async ({ page, account }) => {
  needs("dash", "curl");
  const { id, key } = await newReportingServer(account.id);
  const bench = new AgentBench();
  try {
    bench.shim("ping", "echo '5 packets transmitted, 5 received, 0% packet loss, time 4ms'");
    // Between the check-ins of a machine half a minute passes in truth.
    bench.shim("date", 'echo "$NOW"');
    for (const machine of ["one", "other"]) {
      const proc = join(bench.dir, machine);
      cpSync("e2e/support/proc/before", proc, { recursive: true });
      mkdirSync(join(proc, "sys/kernel/random"), { recursive: true });
      writeFileSync(join(proc, "sys/kernel/random/boot_id"), `${randomUUID()}\n`);
    }
    const start = Math.floor(Date.now() / SECOND) - 45;
    const checkInFrom = (machine: string, second: number) =>
      bench.run(["dash"], ["once", sharedOrigin()], `${key}\n`, {
        PROC_ROOT: join(bench.dir, machine),
        NOW: String(start + second),
      });
    const notice = page.getByText("Two daemons report for this server with the same key");
    await page.goto(`/dashboard/servers/${id}`);
    for (const [machine, second] of [
      ["one", 0],
      ["one", 10],
      ["other", 20],
    ] as const) {
      expect(await checkInFrom(machine, second)).toMatchObject({ code: 0, stderr: "" });
    }
    // A browser that says it is online again makes the page ask at once.
    const renew = () => page.evaluate(() => window.dispatchEvent(new Event("online")));
    const renewedUntil = (shown: Locator) =>
      expect(async () => {
        await renew();
        await expect(shown).toBeVisible({ timeout: 2 * SECOND });
      }).toPass();
    await renewedUntil(page.getByText("Online", { exact: true }));
    await expect(notice).toHaveCount(0);
    expect(await checkInFrom("one", 30)).toMatchObject({ code: 0 });
    await renewedUntil(notice);
  } finally {
    bench.remove();
  }
});
