import { createServer, type Server } from "node:net";
import { newAccount, newGameService, newServer, newToken } from "@/e2e/support/factories";
import { atEnd, expect, getData, sharedOrigin, spend, test } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";
import { needs } from "@/e2e/support/needs";
import { FACT } from "@/e2e/support/patience";
import { CONSOLE_API, runProgram } from "@/e2e/support/run-program";
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

test("the Python client reads every endpoint, and failures carry status, message and request id", async () => {
  needs("python3");
  const { id, token } = await newAccount();
  const { id: server } = await newServer(id);
  const { id: service } = await newGameService(id);
  const answers = await python(EVERYTHING, [sharedOrigin(), token, String(server), String(service)]);
  const [ofServer, ofService] = [`servers/${server}`, `game-services/${service}`];
  const paths = [
    "me",
    "servers",
    ofServer,
    `${ofServer}/benchmarks`,
    "game-services",
    ofService,
    `${ofService}/metrics?range=24h`,
  ];
  const data = await Promise.all(paths.map((path) => getData(`/api/v1/${path}`, token)));
  expect(JSON.parse(answers)).toEqual([...data, [404, "Not found.", null, 36]]);
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

const FAIL = `
import json, sys
from console_api import ConsoleApi, ConsoleApiError, ConsoleUnreachable
told = []
for origin, timeout in json.loads(sys.argv[1]):
    try:
        ConsoleApi(origin, "cpat_x", timeout=timeout).get_account()
    except ConsoleApiError as error:
        told.append([error.status, error.message, error.retry_after])
    except ConsoleUnreachable as error:
        told.append([isinstance(error, OSError), str(error)])
print(json.dumps(told))
`;

/** What TypeScript and Python say, in that order, or both. */
type Failure = { answer: string | null; timeout?: number; told: [unknown, unknown] };
const both = (told: unknown): [unknown, unknown] => [told, told];
const unreachable = (typescript: RegExp, python: RegExp): [unknown, unknown] => [
  [true, expect.stringMatching(typescript)],
  [true, expect.stringMatching(python)],
];

test("both clients tell unreachable, late and foreign answers from failures of what stands between", async () => {
  needs("python3");
  const head = (status: number, length: number, headers = "") =>
    `HTTP/1.1 ${status} X\r\n${headers}Content-Length: ${length}\r\nConnection: close\r\n\r\n`;
  const deep = "[".repeat(100_000);
  const foreign = [`${head(200, 6)}<html>`, `${head(200, 2)}{}`, `${head(200, 4)}null`, `${head(200, 9)}{"data"`];
  const nines = (count: number) => "9".repeat(count);
  const failures: Failure[] = [
    { answer: null, timeout: 0.5, told: unreachable(/ did not answer within 0\.5 seconds\.$/, /timed out\.$/) },
    ...[...foreign, "rubbish"].map((answer) => ({
      answer,
      told: unreachable(/^http:/, /^http:.* does not answer: .+\.$/s),
    })),
    { answer: head(502, 0), told: both([502, "The console answered 502.", null]) },
    { answer: head(500, deep.length) + deep, told: both([500, deep.slice(0, 200), null]) },
    { answer: `${head(500, 2)}[]`, told: both([500, "[]", null]) },
    { answer: head(503, 0, "Retry-After: 2592000\r\n"), told: both([503, "The console answered 503.", 2_592_000]) },
    { answer: head(503, 0, `Retry-After: ${nines(5000)}\r\n`), told: both([503, "The console answered 503.", null]) },
    { answer: head(404, 0, "X-Token-Expires-At: \u00b2\r\n"), told: both([404, "The console answered 404.", null]) },
    {
      answer: head(404, 0, `X-Token-Expires-At: ${nines(400)}\r\n`),
      told: both([404, "The console answered 404.", null]),
    },
  ];
  const closed = createServer();
  const refused = `http://127.0.0.1:${await listen(closed)}`;
  const servers = failures.map(({ answer }) => answering(answer));
  for (const server of servers) atEnd(() => server.close());
  // A refusal comes at once, but perhaps not within half a second of a busy machine.
  const asked: [string, number][] = [[refused, FACT / SECOND]];
  for (const [index, server] of servers.entries()) {
    asked.push([`http://127.0.0.1:${await listen(server)}`, failures[index]?.timeout ?? FACT / SECOND]);
  }
  // None of the others got its port.
  closed.close();
  const told = [unreachable(/ cannot be reached\.$/, /refused\.$/), ...failures.map((one) => one.told)];
  const ask = async ([origin, timeout]: [string, number]) => {
    const failure = await new ConsoleApi({ origin, token: "cpat_x", timeout }).getAccount().catch((error) => error);
    if (failure instanceof ConsoleApiError) return [failure.status, failure.message, failure.retryAfter];
    return [failure instanceof ConsoleUnreachableError, failure.message];
  };
  expect(await Promise.all(asked.map(ask))).toEqual(told.map(([typescript]) => typescript));
  expect(JSON.parse(await python(FAIL, [JSON.stringify(asked)]))).toEqual(told.map(([, inPython]) => inPython));
});

const OF_3_8 = `
import ast, inspect, sys
from console_api import ConsoleApi
tree = ast.parse(open(sys.argv[1]).read(), feature_version=(3, 8))
names = [alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "typing" for alias in node.names]
print(" ".join(sorted(names)), any(isinstance(node, ast.ImportFrom) and node.module == "__future__" for node in tree.body))
print(inspect.signature(ConsoleApi).parameters["timeout"].default)
`;

test("both clients give an answer 30 seconds, and console_api.py is Python 3.8", async () => {
  needs("python3");
  const asked: number[] = [];
  const { timeout } = AbortSignal;
  // Notes how long the client would wait, and lets that pass at once.
  AbortSignal.timeout = (ms) => {
    asked.push(ms);
    return AbortSignal.abort();
  };
  try {
    const asking = new ConsoleApi({ origin: "http://127.0.0.1:1", token: "cpat_x" }).getAccount();
    await expect(asking).rejects.toThrow("within 30 seconds");
  } finally {
    AbortSignal.timeout = timeout;
  }
  expect(asked).toEqual([30 * SECOND]);
  const printed = await python(OF_3_8, ["public/clients/console_api.py"]);
  expect(printed).toBe("Any IO Iterator Literal TypedDict True\n30.0\n");
});

/** Answers each connection with these bytes; without any it takes them and never answers. */
function answering(bytes: string | null): Server {
  return createServer((socket) => bytes !== null && socket.once("data", () => socket.end(bytes, "latin1")));
}

async function python(program: string, args: string[]): Promise<string> {
  const { code, output, errors } = await runProgram("python3", ["-c", program, ...args], CONSOLE_API);
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
