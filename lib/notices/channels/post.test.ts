import { createServer } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { listen } from "@/e2e/support/listen";
import { post } from "./post";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

test("a silent receiver is given up on, though memory is collected meanwhile", async () => {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const server = createServer(() => isAsked());
  const address = `http://127.0.0.1:${await listen(server)}/`;
  const { signal } = new AbortController();
  const outcome = post(address, "{}", {}, { signal, allowPrivate: true, answerWithin: 500 });
  await asked;
  collectGarbage();
  expect(await outcome).toEqual({ kind: "again", reason: "It did not answer within 0.5 seconds." });
  server.closeAllConnections();
  server.close();
});
