import { newAccount } from "@/e2e/support/factories";
import { expect, test } from "@/e2e/support/fixtures";
import { sendRaw } from "@/e2e/support/raw";
import { mintToken } from "@/lib/tokens/format";

test("two Authorization headers are 401 and never the first one alone", async () => {
  const { token } = await newAccount();
  const request = [
    "GET /api/v1/me HTTP/1.1",
    "Host: console.example",
    `Authorization: Bearer ${token}`,
    `Authorization: Bearer ${mintToken()}`,
    "Connection: close",
  ];
  expect(await rawStatus(`${request.join("\r\n")}\r\n\r\n`)).toBe(401);
});

test("a NUL or a line break inside the header is refused by the HTTP parser, as JSON", async () => {
  const { token } = await newAccount();
  for (const spoiled of [`${token}\0`, `${token.slice(0, 9)}\r${token.slice(9)}`]) {
    const request = `GET /api/v1/me HTTP/1.1\r\nHost: console.example\r\nAuthorization: Bearer ${spoiled}\r\n\r\n`;
    expect(await rawStatus(request)).toBe(400);
  }
});

async function rawStatus(request: string): Promise<number> {
  return Number((await sendRaw(request)).split(" ")[1]);
}
