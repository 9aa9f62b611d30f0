import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { listen } from "@/e2e/support/listen";
import { watchConnections } from "./connections";

/** A server whose requests are answered by `answer`, and a connection to it. */
async function connected(answer: (response: ServerResponse, url: string) => void) {
  const server = createServer();
  watchConnections(server);
  server.on("request", (request, response) => answer(response, request.url ?? ""));
  const socket = connect(await listen(server), "127.0.0.1");
  return { socket, close: () => server.close() };
}

test("when a connection closes, every answer in line on it has closed", async () => {
  const closed: string[] = [];
  const asked: ServerResponse[] = [];
  const { socket, close } = await connected((response, url) => {
    asked.push(response);
    response.on("close", () => closed.push(url));
    // The last one is whole, and waits for those before it.
    if (url === "/3") response.end("three");
  });
  socket.write(["/1", "/2", "/3"].map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  await expect.poll(() => asked.length).toBe(3);
  socket.destroy();
  await expect.poll(() => closed.sort()).toEqual(["/1", "/2", "/3"]);
  expect(asked.every(({ destroyed }) => destroyed)).toBe(true);
  close();
});
