import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { createServer } from "node:net";
import { NO_VARIABLES, startConsole } from "@/e2e/support/console-server";
import { expect, test } from "@/e2e/support/fixtures";
import { listen } from "@/e2e/support/listen";
import { runInProduction } from "@/e2e/support/production-console";
import { tryToConnect } from "@/e2e/support/try-to-connect";
import { DIST_DIRS } from "@/scripts/build";

// The server as a process: what it does when it is told to stop, and when it cannot start. No database is needed.

const NO_DATABASE = "postgresql://postgres@127.0.0.1:1/none";

test("a second Ctrl-C cuts off no request, and the process ends well", async () => {
  const app = await startConsole(NO_DATABASE);
  const ended = once(app.child, "exit");
  const { hostname, port } = new URL(app.origin);
  const headers = { Origin: app.origin, "Content-Type": "text/plain", "Content-Length": 10 };
  const slow = httpRequest({ hostname, port, path: "/sign-in", method: "POST", headers });
  const answered = once(slow, "response");
  slow.write("first");
  // Another request on its own connection: when it is answered, the slow one has arrived.
  expect((await fetch(`${app.origin}/healthz`)).status).toBe(200);
  app.child.kill("SIGINT");
  await expect.poll(() => tryToConnect(hostname, Number(port))).toBe("ECONNREFUSED");
  app.child.kill("SIGINT");
  app.child.kill("SIGTERM");
  // Long enough for a signal to be heard.
  await new Promise((resolve) => setTimeout(resolve, 200));
  slow.end("-last");
  const [answer] = await answered;
  // The console refuses the body, which it can only decide after reading all of it.
  expect(answer.resume().statusCode).toBe(400);
  expect(await ended).toEqual([0, null]);
});

test("a console whose port is in use says so and exits with a code", async () => {
  const taken = createServer();
  const port = await listen(taken);
  const variables = { ...NO_VARIABLES, CONSOLE_DIST_DIR: DIST_DIRS.test, DATABASE_URL: NO_DATABASE, HOST: "127.0.0.1" };
  const { code, errors } = await runInProduction(["server/start.mjs"], { ...variables, PORT: String(port) });
  taken.close();
  expect(code).toBe(1);
  expect(JSON.parse(errors.trim().split("\n").at(-1) ?? "")).toMatchObject({
    event: "cannot listen",
    detail: `127.0.0.1:${port}: the port is in use`,
  });
});
