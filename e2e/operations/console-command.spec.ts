import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { newAccount, newGameService, newServer, newToken } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { startGateway } from "@/e2e/support/gateway";
import { listen } from "@/e2e/support/listen";
import { needs } from "@/e2e/support/needs";
import { recordIntervals } from "@/e2e/support/record-intervals";
import { runOnTerminal } from "@/e2e/support/run-on-terminal";
import { runProgram } from "@/e2e/support/run-program";
import { MINUTE } from "@/lib/format/time";

const FILE = "public/clients/console";

/** A home of its own, and the ways to run the program there. */
function newHome() {
  const home = test.info().outputPath("home");
  mkdirSync(home, { recursive: true });
  const base = { HOME: home, XDG_CONFIG_HOME: "", CONSOLE_ORIGIN: sharedOrigin(), CONSOLE_TOKEN: "", NO_COLOR: "" };
  const file = join(home, ".config/console/token.json");
  return {
    file,
    run: (args: string[], variables = {}) => runProgram("python3", [FILE, ...args], { ...base, ...variables }),
    onTerminal: (args: string[], typed = "", variables = {}) =>
      runOnTerminal(["python3", FILE, ...args], { ...base, ...variables }, typed),
    store(origin: string, token: string, mode = 0o600) {
      mkdirSync(join(home, ".config/console"), { recursive: true });
      writeFileSync(file, JSON.stringify({ origin, token }));
      chmodSync(file, mode);
    },
  };
}

async function fill() {
  const { id: accountId, token, name, email } = await newAccount();
  const { id: server } = await newServer(accountId, { label: "db 1", hostname: "db1.example.net" });
  await newServer(accountId, { label: "twin" });
  await newServer(accountId, { label: "twin" });
  const { id: service } = await newGameService(accountId, { name: "Lobby", error: "bad\u001b[31m\nnews" });
  const counters = { packets: 1500, bytes: 2_500_000, dropped: 999_700, connections: 4 };
  await recordIntervals([{ serviceId: service, ts: Date.now() - MINUTE, ...counters }]);
  return { accountId, token, name, email, server, service };
}

test("-o json prints every command's API answer byte for byte", async () => {
  needs("python3");
  const { token, server, service } = await fill();
  const { run } = newHome();
  const get = async (path: string) =>
    (await fetch(sharedOrigin() + path, { headers: { Authorization: `Bearer ${token}` } })).text();
  const moving = /"score":\d+/g;
  for (const [args, path] of [
    [["me"], "/api/v1/me"],
    [["servers"], "/api/v1/servers"],
    [["server", "db 1"], `/api/v1/servers/${server}`],
    [["server", "db1.example.net"], `/api/v1/servers/${server}`],
    [["server", String(server)], `/api/v1/servers/${server}`],
    [["services"], "/api/v1/game-services"],
    [["traffic", "Lobby"], `/api/v1/game-services/${service}/metrics`],
    [["traffic", "Lobby", "--range", "24h"], `/api/v1/game-services/${service}/metrics?range=24h`],
  ] as const) {
    const { code, output, errors } = await run([...args, "-o", "json"], { CONSOLE_TOKEN: token });
    expect({ code, errors }, args.join(" ")).toEqual({ code: 0, errors: "" });
    expect(output.replaceAll(moving, ""), args.join(" ")).toBe((await get(path)).replaceAll(moving, ""));
  }
});

test("tables print no foreign control characters, and colours only on terminals without NO_COLOR", async () => {
  needs("python3");
  const { token, name, email } = await fill();
  const { run, onTerminal } = newHome();
  const with_ = { CONSOLE_TOKEN: token };
  const me = await run(["me"], with_);
  expect(me.output).toContain(name);
  expect(me.output).toContain(email);
  const servers = await run(["servers"], with_);
  expect(servers.output).toMatch(/^ID +LABEL +SCORE +STATE +LAST SEEN +IP\n\d+ +db 1 +500 +offline +\d+ s ago +-\n/);
  expect(servers.output).not.toContain("\u001b");
  expect((await run(["server", "db 1"], with_)).output).toMatch(/^note +Freshness: not reported/m);
  const services = await run(["services"], with_);
  expect(services.output).toMatch(/ Lobby .* bad\?\[31m\?news\n$/);
  const traffic = await run(["traffic", "Lobby"], with_);
  expect(traffic.output).toMatch(/\nin all +1\.5k +2\.5M +1M +4\n$/);
  const colored = await onTerminal(["servers"], "", with_);
  expect(colored.output).toContain("\u001b[31m");
  expect((await onTerminal(["servers"], "", { ...with_, NO_COLOR: "1" })).output).not.toContain("\u001b");
});

test("columns align for any name, and narrow terminals shorten the widest, never the ip", async () => {
  needs("python3");
  const { id: accountId, token } = await newAccount();
  const labels = ["日本語サーバー", "cafe\u0301", "plain", `${"long ".repeat(20)}end`];
  for (const label of labels) await newServer(accountId, { label, publicIp: "203.0.113.177" });
  const { run, onTerminal } = newHome();
  const with_ = { CONSOLE_TOKEN: token, NO_COLOR: "1", COLUMNS: "80" };
  const cells = (text: string) => text.replace(/\u0301/g, "").replace(/[\u3040-\u30ff\u4e00-\u9fff]/g, "..").length;
  const scoresAt = (output: string) =>
    output
      .split(/\r?\n/)
      .flatMap((line) => /^(.*?) {2}500 /.exec(line)?.[1] ?? [])
      .map(cells);
  const piped = (await run(["servers"], with_)).output;
  expect(new Set(scoresAt(piped)).size).toBe(1);
  expect(piped).toContain(labels[3]);
  const shown = (await onTerminal(["servers"], "", with_)).output.trimEnd();
  expect(new Set(scoresAt(shown)).size).toBe(1);
  expect(scoresAt(shown)).toHaveLength(4);
  for (const line of shown.split("\r\n").slice(1)) expect(line).toMatch(/ 203\.0\.113\.177$/);
  expect(Math.max(...shown.split("\r\n").map(cells))).toBe(80);
});

test("exit codes say what failed, in one sentence and without a traceback", async () => {
  needs("python3");
  const { token } = await fill();
  const { run } = newHome();
  const failed = async (args: string[], variables = {}) => {
    const { code, output, errors } = await run(args, { CONSOLE_TOKEN: token, ...variables });
    expect(errors).not.toContain("Traceback");
    expect(output).toBe("");
    return [code, errors.trim()];
  };
  expect(await failed(["server", "nobody"])).toEqual([4, 'console: None of your servers is named "nobody".']);
  expect(await failed(["server", "2147483647"])).toEqual([4, "console: Not found."]);
  expect(await failed(["server", "twin"])).toEqual([
    4,
    expect.stringMatching(/Several servers are named "twin": .*\(\d+, \d+\)/),
  ]);
  expect(await failed(["me"], { CONSOLE_TOKEN: "cpat_x" })).toEqual([
    3,
    expect.stringContaining("Malformed access token"),
  ]);
  expect(await failed(["me"], { CONSOLE_TOKEN: "" })).toEqual([3, expect.stringContaining("No token")]);
  for (const argument of [token, `--token=${token}`]) {
    const [code, errors] = await failed(["me", argument]);
    expect(code).toBe(3);
    expect(errors).toContain("revoke that token");
    expect(errors).not.toContain(token);
  }
  expect(await failed(["me", "--origin", "http://127.0.0.1:1"])).toEqual([6, expect.stringContaining("127.0.0.1:1 ")]);
  expect(await failed(["me"], { CONSOLE_ORIGIN: "http://127.0.0.1:1" })).toEqual([
    6,
    expect.stringContaining("does not answer"),
  ]);
  expect(await failed(["me"], { CONSOLE_ORIGIN: "" })).toEqual([2, expect.stringContaining("CONSOLE_ORIGIN")]);
  expect((await failed(["nonsense"]))[0]).toBe(2);
  expect((await failed(["traffic", "Lobby", "--range", "30d"]))[0]).toBe(2);
  // It waits as the console asks, and then answers.
  const gateway = await startGateway();
  gateway.failures.push(429);
  const { code, errors } = await run(["me"], { CONSOLE_TOKEN: token, CONSOLE_ORIGIN: gateway.origin });
  gateway.stop();
  expect({ code, errors }).toEqual({ code: 0, errors: "Waiting 2 s, as the console asks.\n" });
  expect(gateway.asked).toHaveLength(2);
});

/** By what is wrong: an answer as it is sent, and the exit code that it ends with. */
const STRANGE: Readonly<Record<string, [answer: string, code: number]>> = {
  "a page": [whole(200, "<html>"), 1],
  "JSON that nests too deeply": [whole(200, "[".repeat(100_000)), 1],
  "no object": [whole(200, '{"data":[]}'), 1],
  "an object of something else": [whole(200, '{"data":{"servers":[{"id":1}]}}'), 1],
  "an answer that breaks off": ["HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", 6],
  "a failure that breaks off": ["HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\n{", 1],
  "a wait that is a date": [whole(503, "", "Retry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n"), 1],
  "a way to somewhere else": [whole(301, "", "Location: https://elsewhere.example/\r\n"), 1],
  "a wait below zero": [whole(429, "", "Retry-After: -5\r\n"), 5],
  "no HTTP": ["\u001b[31mrubbish\r\n\r\n", 6],
};

function whole(status: number, body: string, headers = ""): string {
  return `HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}

test("any bad answer, token or URL ends in one sentence and an exit code", async () => {
  needs("python3");
  const { run } = newHome();
  const origin = sharedOrigin();
  const failed = async (variables: Record<string, string>) => {
    const { code, errors } = await run(["servers"], variables);
    expect(errors).toMatch(/^console: .*\n$/);
    expect(errors).not.toContain("\u001b");
    expect(errors).not.toContain("cpat_secret");
    return code;
  };
  for (const [what, [answer, code]] of Object.entries(STRANGE)) {
    const server = createServer((socket) => socket.once("data", () => socket.end(answer)));
    const at = `http://127.0.0.1:${await listen(server)}`;
    expect(await failed({ CONSOLE_ORIGIN: at, CONSOLE_TOKEN: "cpat_secret" }), what).toBe(code);
    server.close();
  }
  expect(await failed({ CONSOLE_ORIGIN: origin, CONSOLE_TOKEN: "cpat_secret\nX: y" })).toBe(3);
  expect(await failed({ CONSOLE_ORIGIN: origin, CONSOLE_TOKEN: "cpat_secreté" })).toBe(3);
  expect(await failed({ CONSOLE_ORIGIN: "http://[::1", CONSOLE_TOKEN: "cpat_secret" })).toBe(2);
  expect(await failed({ CONSOLE_ORIGIN: `${origin}?x`, CONSOLE_TOKEN: "cpat_secret" })).toBe(2);
  // A file of Windows ends its line with two characters.
  const { token } = await newAccount();
  expect(await run(["me", "-o", "json"], { CONSOLE_ORIGIN: origin, CONSOLE_TOKEN: `${token}\r\n` })).toMatchObject({
    code: 0,
  });
});

test("login hides the token, stores it for its owner and sends it nowhere else", async () => {
  needs("python3");
  const { accountId, token, name } = await fill();
  const { file, run, onTerminal, store } = newHome();
  const shown = await onTerminal(["login"], `${token}\n`);
  expect(shown.code, shown.output).toBe(0);
  expect(shown.output).toContain(name);
  expect(shown.output).not.toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ origin: sharedOrigin(), token });
  expect((await run(["me"])).code).toBe(0);
  expect((await run(["me"], { CONSOLE_ORIGIN: "" })).code).toBe(0);
  const other = await newToken(accountId);
  const differing = await run(["me"], { CONSOLE_TOKEN: other });
  expect(differing).toMatchObject({ code: 0, errors: `CONSOLE_TOKEN is used; the token in ${file} is another one.\n` });
  expect((await run(["me"], { CONSOLE_TOKEN: token })).errors).toBe("");
  store("https://elsewhere.example", token);
  expect(await run(["me"])).toMatchObject({ code: 3, errors: expect.stringContaining("No token") });
  store(sharedOrigin(), token, 0o644);
  expect(await run(["me"])).toMatchObject({ code: 3, errors: expect.stringContaining("chmod 600") });
  chmodSync(file, 0o600);
  writeFileSync(file, "{");
  expect(await run(["me"])).toMatchObject({ code: 3, errors: expect.stringContaining("cannot be used") });
  // A file that is not needed disturbs nobody.
  expect(await run(["me"], { CONSOLE_TOKEN: token })).toMatchObject({ code: 0, errors: "" });
  const refused = await onTerminal(["login"], "cpat_mistyped\n");
  expect(refused.code).toBe(3);
  expect(readFileSync(file, "utf8")).toBe("{");
});

test("the program has at most 300 lines and is written for Python 3.8", async () => {
  const text = readFileSync(FILE, "utf8");
  expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(300);
  needs("python3");
  const parse = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))";
  expect(await runProgram("python3", ["-c", parse, FILE])).toEqual({ code: 0, output: "", errors: "" });
});
