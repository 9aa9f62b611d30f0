import { EventEmitter, once } from "node:events";
import { IncomingMessage, type ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { collectAnswer } from "./collected";

const collect = (write: (response: ServerResponse) => Promise<void>, client = new EventEmitter()) =>
  collectAnswer(new IncomingMessage(new Socket()), client as ServerResponse, write);

test("an answer is whole or a fault: nothing of a broken one is sent", async () => {
  const whole = await collect(async (response) => {
    response.statusCode = 201;
    response.write("a");
    response.end(Buffer.from("b"));
  });
  expect([whole?.status, String(whole?.body)]).toEqual([201, "ab"]);
  const thrown = collect(async (response) => {
    response.write("half");
    throw new Error("broken");
  });
  await expect(thrown).rejects.toThrow("broken");
  const givenUp = collect(async (response) => {
    response.write("half");
    response.destroy();
  });
  await expect(givenUp).rejects.toThrow("Next gave the answer up.");
});

test("a page whose client has left is not waited for", async () => {
  const client = new EventEmitter();
  const collected = collect((response) => once(response, "close").then(() => {}), client);
  client.emit("close");
  expect(await collected).toBeNull();
});
