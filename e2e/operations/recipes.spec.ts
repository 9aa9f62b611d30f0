import { readFileSync, writeFileSync } from "node:fs";
import { startConsole } from "@/e2e/support/console-server";
import { newAccount, newGameService, newOwnedServer, newServer, putSample } from "@/e2e/support/factories";
import { expect, getData, own, sharedOrigin, test } from "@/e2e/support/fixtures";
import { freePort } from "@/e2e/support/free-port";
import { startGateway } from "@/e2e/support/gateway";
import { needs } from "@/e2e/support/needs";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { CONSOLE_API, runProgram } from "@/e2e/support/run-program";
import { MINUTE, SECOND } from "@/lib/format/time";

const RECIPES = "public/recipes";

test("fleet.sh prints every server in full, and waits where the limit says so", async () => {
  needs("curl");
  const { id: accountId, token } = await newAccount();
  const ids = [await newServer(accountId), await newServer(accountId), await newServer(accountId)].map(({ id }) => id);
  const { origin, asked, failures } = await own(startGateway());

  // The list is answered, and the first server is refused once.
  failures.push(null, 429);
  const { code, output, errors } = await runProgram("sh", [`${RECIPES}/fleet.sh`], { ORIGIN: origin, TOKEN: token });
  expect(code, errors).toBe(0);
  const servers = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { data: { id: number } });
  expect(servers.map(({ data }) => data.id)).toEqual(ids);
  expect(errors).toBe("");
  const [, refused, next] = asked;
  expect((next?.at ?? 0) - (refused?.at ?? 0)).toBeGreaterThanOrEqual(2 * SECOND);
});

test("fleet.sh silently survives a console restart and names errors that waiting cannot fix", async () => {
  needs("curl");
  const database = String(process.env.DATABASE_URL);
  const { token, id } = await newOwnedServer();
  const port = await freePort();
  const variables = { ORIGIN: `http://127.0.0.1:${port}`, TOKEN: token };
  const running = runProgram("sh", [`${RECIPES}/fleet.sh`], variables);
  // Waits, so that the recipe fails to connect at least once before the console listens.
  await new Promise((resolve) => setTimeout(resolve, SECOND));
  await own(startConsole(database, { PORT: String(port) }));
  const { code, output, errors } = await running;
  expect({ code, errors }).toEqual({ code: 0, errors: "" });
  expect(JSON.parse(output)).toMatchObject({ data: { id } });
  const mistyped = await runProgram("sh", [`${RECIPES}/fleet.sh`], { ...variables, TOKEN: "cpat_mistyped" });
  expect(mistyped.code).toBe(1);
  expect(mistyped.errors).toContain("Malformed access token");
});

test("unhealthy.py names servers in need, with distinct exit codes for need, none and failure", async () => {
  needs("python3");
  const { id: accountId, token } = await newAccount();
  const variables = { ORIGIN: sharedOrigin(), TOKEN: token, ...CONSOLE_API };
  const args = [`${RECIPES}/unhealthy.py`, "400"];
  const seen = { createdAt: new Date(Date.now() - 10 * MINUTE), lastSeenAt: new Date(Date.now() - SECOND) };
  await newServer(accountId, { label: "Well", ...seen });
  expect(await runProgram("python3", args, variables)).toMatchObject({ code: 0, output: "" });
  await newServer(accountId, { label: "Silent" });
  expect(await runProgram("python3", args, variables)).toMatchObject({
    code: 1,
    output: "Silent: score 500, offline\n",
  });
  const refused = await runProgram("python3", args, { ...variables, TOKEN: "cpat_mistyped" });
  expect(refused.code).toBe(2);
  expect(refused.errors).toContain("Malformed access token");
});

test("every URL of the Grafana dashboard answers with the columns it shows", async () => {
  needs("python3 with yaml");
  const { id: accountId, token } = await newAccount();
  await newServer(accountId);
  const { id: serviceId } = await newGameService(accountId);
  await recordIntervals([{ serviceId, ts: Date.now() - MINUTE, packets: 1, bytes: 2, connections: 1 }]);
  type Target = { url: string; root_selector: string; columns: { selector: string }[] };
  type Panel = { datasource: { uid: string; type: string }; targets: Target[] };
  const { panels } = JSON.parse(readFileSync(`${RECIPES}/grafana/dashboard.json`, "utf8")) as { panels: Panel[] };
  const print = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))";
  const { output, errors } = await runProgram("python3", ["-c", print, `${RECIPES}/grafana/datasource.yaml`]);
  expect(errors).toBe("");
  const [source] = (JSON.parse(output) as { datasources: { uid: string; type: string; jsonData: unknown }[] })
    .datasources;
  expect(source?.jsonData).toMatchObject({ auth_method: "bearerToken", allowedHosts: ["https://console.example.com"] });
  for (const { datasource, targets } of panels) {
    expect(datasource).toEqual({ uid: source?.uid, type: source?.type });
    for (const { url, root_selector: selector, columns } of targets) {
      const path = url
        .replace("https://console.example.com", "")
        .replace("/game-services/1/", `/game-services/${serviceId}/`);
      const data = await getData<Record<string, Record<string, unknown>[]>>(path, token);
      const [, list = ""] = selector.split(".");
      for (const column of columns) expect(Object.keys(data[list]?.[0] ?? {}), url).toContain(column.selector);
    }
  }
});

test("every Home Assistant resource answers, and every template yields a value", async () => {
  needs("python3 with yaml", "python3 with jinja2");
  const { id: accountId, token } = await newAccount();
  const seenAt = new Date(Date.now() - SECOND);
  const { id } = await newServer(accountId, { lastSeenAt: seenAt });
  await putSample(id, seenAt, { cpuPct: 12.5 });
  await newServer(accountId);
  const file = test.info().outputPath("configuration.yaml");
  const recipe = readFileSync(`${RECIPES}/home-assistant/configuration.yaml`, "utf8");
  writeFileSync(file, recipe.replace("/servers/1\n", `/servers/${id}\n`));
  const args = ["e2e/support/home-assistant.py", file, sharedOrigin(), token];
  const { code, output, errors } = await runProgram("python3", args);
  expect(code, errors).toBe(0);
  expect(JSON.parse(output)).toEqual({
    console_lowest_score: expect.stringMatching(/^\d+$/),
    console_servers_offline: "1",
    console_server_1_score: expect.stringMatching(/^\d+$/),
    console_server_1_cpu: "12.5",
  });
});
