import { writeFileSync } from "node:fs";
import { agentConfigurations, KEY_PLACE } from "@/app/dashboard/servers/agent-configurations";
import { AgentBench } from "@/e2e/support/agent";
import { expectAccessible, expectToFit } from "@/e2e/support/axe";
import { newReportingServer, newServer } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { expect, test, withAndWithoutJavaScript } from "@/e2e/support/pages";
import { runProgram } from "@/e2e/support/run-program";
import { db } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { requestBenchmark } from "@/lib/servers/benchmarks";

// What the pages of a server offer to those who run other programs than our daemon, and what a benchmark needs.

withAndWithoutJavaScript(() => {
  test("a new server offers a configuration to paste for each of five agents, beside its key and on its page", async ({
    page,
    account,
  }) => {
    await page.goto("/dashboard/servers/new");
    await page.getByLabel("Label").fill("Web front");
    await page.getByLabel("Hostname").fill("web-1.example.com");
    await page.getByRole("button", { name: "Add server" }).click();
    await expect(page.getByText("sudo sh agent.sh install")).toBeVisible();
    const { id } = await db.server.findFirstOrThrow({ where: { accountId: account.id } });
    for (const path of [null, `/dashboard/servers/${id}`]) {
      if (path) await page.goto(path);
      // Five other ways are one line, until somebody asks for them.
      const others = page.locator("summary", { hasText: "Other ways to report: Prometheus" });
      await expect(others).toHaveCount(1);
      await expect(page.locator("details details").first()).toBeHidden();
      await others.click();
      for (const { name, place, text } of agentConfigurations(sharedOrigin())) {
        await page.locator("details details > summary", { hasText: name }).click();
        const shown = page.locator("figure", { hasText: place }).filter({ visible: true }).locator("code");
        expect(await shown.textContent()).toBe(text);
      }
    }
  });
});

test("the open configurations fit a narrow window and are accessible", { tag: "@one-engine" }, async ({
  page,
  account,
}) => {
  const { id } = await newServer(account.id);
  await page.setViewportSize({ width: 320, height: 900 });
  await page.goto(`/dashboard/servers/${id}`);
  await page.locator("summary", { hasText: "Other ways to report" }).click();
  for (const { name } of agentConfigurations(sharedOrigin())) {
    await page.locator("details details > summary", { hasText: name }).click();
    await expectToFit(page);
  }
  await expectAccessible(page);
});

test("Prometheus, collectd, TOML and YAML take the configurations as they are shown", {
  tag: "@one-engine",
}, async () => {
  needs("promtool", "collectd", "python3 with yaml");
  const shown = agentConfigurations("https://console.example.com");
  const fileOf = (name: string) => {
    const file = test.info().outputPath(name.replaceAll(" ", "-"));
    writeFileSync(file, shown.find((one) => one.name === name)?.text ?? "");
    return file;
  };
  for (const [program, ...args] of [
    ["promtool", "check", "config", fileOf("Prometheus")],
    ["/usr/sbin/collectd", "-t", "-C", fileOf("collectd")],
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

test("the page of a benchmark says what keeps it from being verified, and what it says to do makes it verified", {
  tag: "@one-engine",
}, async ({ page, account }) => {
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
