import { connect } from "node:net";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { expect, sharedOrigin, test } from "@/e2e/support/fixtures";
import { db } from "@/lib/database/client";

const PATH = "/ingest/v1/check-ins";

test("a server key opens no page", async () => {
  const { key } = await newReportingServer((await newAccount()).id);
  for (const path of ["/dashboard", "/dashboard/settings/api"]) {
    const headers = { Authorization: `Bearer ${key}`, Cookie: `session=${key}` };
    const page = await fetch(sharedOrigin() + path, { headers, redirect: "manual" });
    expect(page.headers.get("location") ?? "", path).toContain("/sign-in");
  }
});

test("a body beyond 16 KB is refused before it is read, announced or not", async () => {
  const { id, key } = await newReportingServer((await newAccount()).id);
  // First announces ten megabytes and sends one byte. Then sends chunk after chunk without a length.
  expect(await firstLineOf(key, `Content-Length: ${10 * 1024 * 1024}`, ["{"])).toContain(" 413 ");
  const chunk = `1000\r\n${" ".repeat(4096)}\r\n`;
  const chunks = Array.from({ length: 5 }, () => chunk);
  expect(await firstLineOf(key, "Transfer-Encoding: chunked", chunks)).toContain(" 413 ");
  expect(await db.telemetrySample.count({ where: { serverId: id } })).toBe(0);
});

/** Sends the parts without ending the body, and reads the status line that the server sends anyway. */
function firstLineOf(key: string, header: string, parts: string[]): Promise<string> {
  const { hostname, port } = new URL(sharedOrigin());
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `POST ${PATH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${header}\r\n\r\n`,
      );
      for (const part of parts) socket.write(part);
    });
    socket.setEncoding("utf8");
    socket.once("data", (text) => {
      socket.destroy();
      resolve(String(text).split("\r\n", 1)[0] ?? "");
    });
    socket.once("error", reject);
  });
}
