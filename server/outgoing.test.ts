import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "@/e2e/support/listen";
import { sendBody } from "./outgoing";

test("sending a long answer is not over while its client does not read", async () => {
  let isDone = false;
  // More than the kernel takes for a client that does not read.
  const body = "x".repeat(48 * 2 ** 20);
  const server = createServer((request, response) => {
    void sendBody(body, 200, [], request, response).then(() => (isDone = true));
  });
  onTestFinished(() => void server.close());
  const socket = connect(await listen(server), "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  await once(socket, "data");
  socket.pause();
  let before = -1;
  const isStill = () => {
    const isSame = socket.bytesRead === before;
    before = socket.bytesRead;
    return isSame;
  };
  await expect.poll(isStill).toBe(true);
  expect(isDone).toBe(false);
  socket.destroy();
  await expect.poll(() => isDone).toBe(true);
});
