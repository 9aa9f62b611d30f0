import { createServer } from "node:net";
import { newAccount, newGameService, newServer, newToken } from "@/e2e/support/factories";
import { expect, sharedOrigin, spend, test } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";
import { needs } from "@/e2e/support/needs";
import { FACT } from "@/e2e/support/patience";
import { runProgram } from "@/e2e/support/run-program";
import { DAY, SECOND } from "@/lib/format/time";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { ConsoleApi, ConsoleApiError, ConsoleUnreachableError } from "@/public/clients/console-api";

const EVERYTHING = `
import json, sys
from console_api import ConsoleApi, ConsoleApiError
origin, token, server, service = sys.argv[1:]
# As a file of a token ends.
api = ConsoleApi(origin + "/", token + "\\r\\n")
answers = [api.get_account(), api.list_servers(), api.get_server(int(server)), api.list_benchmarks(int(server)),
    api.list_game_services(), api.get_game_service(int(service)), api.get_metrics(int(service), range="24h")]
try:
    api.get_server(2147483647)
except ConsoleApiError as error:
    answers.append([error.status, error.message, error.retry_after, len(error.request_id or "")])
print(json.dumps(answers))
`;

test("both clients read every endpoint alike, failures with status, message and request id", async () => {
  needs("python3");
  const { id, token } = await newAccount();
  const { id: server } = await newServer(id);
  const { id: service } = await newGameService(id);
  const api = new ConsoleApi({ origin: sharedOrigin(), token: `${token}\r\n` });
  const failure = await api.getServer(2_147_483_647).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConsoleApiError);
  const { status, message, retryAfter, requestId } = failure as ConsoleApiError;
  const answers = [
    await api.getAccount(),
    await api.listServers(),
    await api.getServer(server),
    await api.listBenchmarks(server),
    await api.listGameServices(),
    await api.getGameService(service),
    await api.getMetrics(service, { range: "24h" }),
    [status, message, retryAfter, requestId?.length],
  ];
  expect(answers[0]).toMatchObject({ id });
  expect(answers[6]).toEqual({ range: "24h", series: [] });
  expect(answers[7]).toEqual([404, "Not found.", null, 36]);
  const fromPython = await python(EVERYTHING, [sharedOrigin(), token, String(server), String(service)]);
  expect(JSON.parse(fromPython)).toEqual(answers);
});

const WAIT = `
import sys, threading, time
from console_api import Aborted, ConsoleApi, ConsoleApiError
origin, token = sys.argv[1:]
try:
    ConsoleApi(origin, token, max_wait=0).get_account()
except ConsoleApiError as error:
    print(error.status, error.retry_after > 0)
abort = threading.Event()
threading.Timer(0.5, abort.set).start()
try:
    ConsoleApi(origin, token, abort=abort).get_account()
except Aborted:
    print("aborted")
print(ConsoleApi(origin, token).get_account()["id"])
`;

test("the Python client waits as told at a real limit unless forbidden or aborted", {
  tag: "@waits",
}, async () => {
  needs("python3");
  const { id, token } = await newAccount();
  await spend(token, API_REQUESTS.limit);
  const printed = await python(WAIT, [sharedOrigin(), token]);
  expect(printed.trim().split("\n")).toEqual(["429 True", "aborted", String(id)]);
});

const UNREACHABLE = `
import sys
from console_api import ConsoleApi, ConsoleUnreachable
for origin in sys.argv[1:]:
    try:
        ConsoleApi(origin, "cpat_x", timeout=0.5).get_account()
    except ConsoleUnreachable as error:
        print(isinstance(error, OSError), error)
`;

test("both clients tell an unreachable console from one that answers too late", async () => {
  needs("python3");
  const closed = createServer();
  const refused = `http://127.0.0.1:${await listen(closed)}`;
  closed.close();
  await withAnswer(null, async (slow) => {
    const ask = (origin: string, timeout: number) =>
      new ConsoleApi({ origin, token: "cpat_x", timeout }).getAccount().catch((error: unknown) => error);
    // A refusal comes at once, but perhaps not within half a second of a busy machine.
    const failures = await Promise.all([ask(refused, FACT / SECOND), ask(slow, 0.5)]);
    for (const failure of failures) expect(failure).toBeInstanceOf(ConsoleUnreachableError);
    const messages = failures.map((failure) => (failure as Error).message);
    expect(messages).toEqual([`${refused} cannot be reached.`, `${slow} did not answer within 0.5 seconds.`]);
    const lines = (await python(UNREACHABLE, [refused, slow])).trim().split("\n");
    expect(lines[0]).toMatch(/^True http:.* does not answer: .*refused\.$/);
    expect(lines[1]).toMatch(/^True http:.* does not answer: .*timed out\.$/);
  });
});

test("both clients treat a foreign answer in the console's place as unreachable", async () => {
  needs("python3");
  const head = (status: number, length: number) => `HTTP/1.1 ${status} X\r\nContent-Length: ${length}\r\n\r\n`;
  const answers = [
    `${head(200, 6)}<html>`,
    `${head(200, 2)}{}`,
    `${head(200, 4)}null`,
    `${head(200, 9)}{"data"`,
    "rubbish",
  ];
  for (const answer of answers) {
    await withAnswer(answer, async (origin) => {
      const failure = await new ConsoleApi({ origin, token: "cpat_x" }).getAccount().catch((error: unknown) => error);
      expect(failure, answer).toBeInstanceOf(ConsoleUnreachableError);
      expect(await python(UNREACHABLE, [origin]), answer).toMatch(/^True http:.* does not answer: .+\.\n$/s);
    });
  }
});

const FAILURE = `
import json, sys
from console_api import ConsoleApi, ConsoleApiError
try:
    ConsoleApi(sys.argv[1], "cpat_x").get_account()
except ConsoleApiError as error:
    print(json.dumps([error.status, error.message, error.retry_after]))
`;

test("both clients report an intermediary's failure with status and message, whatever it sends", async () => {
  needs("python3");
  const answer = (status: number, headers: string, body = "") =>
    `HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const deep = "[".repeat(100_000);
  for (const [text, expected] of [
    [answer(502, ""), [502, "The console answered 502.", null]],
    [answer(500, "", deep), [500, deep.slice(0, 200), null]],
    [answer(500, "", "[]"), [500, "[]", null]],
    [answer(503, "Retry-After: 2592000\r\n"), [503, "The console answered 503.", 2_592_000]],
    [answer(503, `Retry-After: ${"9".repeat(5000)}\r\n`), [503, "The console answered 503.", null]],
    [answer(404, "X-Token-Expires-At: \u00b2\r\n"), [404, "The console answered 404.", null]],
    [answer(404, `X-Token-Expires-At: ${"9".repeat(400)}\r\n`), [404, "The console answered 404.", null]],
  ] as const) {
    await withAnswer(text, async (origin) => {
      const failure = await new ConsoleApi({ origin, token: "cpat_x" }).getAccount().catch((error: unknown) => error);
      const { status, message, retryAfter } = failure as ConsoleApiError;
      expect([status, message, retryAfter], text.slice(0, 100)).toEqual(expected);
      expect(JSON.parse(await python(FAILURE, [origin])), text.slice(0, 100)).toEqual(expected);
    });
  }
});

const DEFAULT_TIMEOUT = `
import inspect
from console_api import ConsoleApi
print(inspect.signature(ConsoleApi).parameters["timeout"].default)
`;

test("a client that is told nothing gives an answer 30 seconds", async () => {
  needs("python3");
  const asked: number[] = [];
  const { timeout } = AbortSignal;
  // Notes how long the client would wait, and lets that pass at once.
  AbortSignal.timeout = (ms) => {
    asked.push(ms);
    return AbortSignal.abort();
  };
  try {
    await withAnswer(null, (origin) =>
      expect(new ConsoleApi({ origin, token: "cpat_x" }).getAccount()).rejects.toThrow("within 30 seconds"),
    );
  } finally {
    AbortSignal.timeout = timeout;
  }
  expect(asked).toEqual([30 * SECOND]);
  expect(await python(DEFAULT_TIMEOUT, [])).toBe("30.0\n");
});

const PARSED_AS_3_8 = `
import ast, sys
tree = ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))
names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "typing" for alias in node.names]
print(" ".join(sorted(names)), any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body))
`;

test("console_api.py uses only syntax and typing names of Python 3.8", async () => {
  needs("python3");
  expect(await python(PARSED_AS_3_8, ["public/clients/console_api.py"])).toBe(
    "Any IO Iterator Literal TypedDict True\n",
  );
});

/** Runs `use` beside a server that answers each connection with these bytes; without any it takes them and never answers. */
async function withAnswer(bytes: string | null, use: (origin: string) => Promise<void>): Promise<void> {
  const server = createServer((socket) => bytes !== null && socket.once("data", () => socket.end(bytes, "latin1")));
  const origin = `http://127.0.0.1:${await listen(server)}`;
  try {
    await use(origin);
  } finally {
    server.close();
  }
}

async function python(program: string, args: string[]): Promise<string> {
  const variables = { PYTHONPATH: "public/clients", PYTHONDONTWRITEBYTECODE: "1" };
  const { code, output, errors } = await runProgram("python3", ["-c", program, ...args], variables);
  expect(code, errors).toBe(0);
  return output;
}

const WARN = `
import sys, warnings
from console_api import ConsoleApi
origin, *tokens = sys.argv[1:]
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for token in tokens:
        api = ConsoleApi(origin, token)
        api.get_account()
        api.get_account()
for warning in caught:
    print(warning.message, warning.filename)
`;

test("the Python client warns once, and only of tokens that end within 14 days", async () => {
  needs("python3");
  const { id, token } = await newAccount();
  const later = await newToken(id, new Date(Date.now() + 15 * DAY));
  const endsAt = new Date(Math.floor((Date.now() + 13 * DAY) / SECOND) * SECOND);
  const soon = await newToken(id, endsAt);
  const day = endsAt.toISOString().replace(".000Z", "Z");
  const printed = await python(WARN, [sharedOrigin(), token, later, soon]);
  expect(printed).toBe(`The access token ends at ${day}: replace it before. <string>\n`);
});
