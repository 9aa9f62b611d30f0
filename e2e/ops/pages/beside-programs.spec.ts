import { writeFileSync } from "node:fs";
import { agentConfigurations, KEY_PLACE } from "@/app/dashboard/servers/agent-configurations";
import { newBenchmarkRun, newGameService, newServer, newToken } from "@/e2e/support/factories";
import { sharedOrigin } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { expect, test } from "@/e2e/support/pages";
import { runProgram } from "@/e2e/support/run-program";
import { ENDPOINTS } from "@/lib/api/contract";
import { API_REFERENCE } from "@/lib/page-paths";

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
