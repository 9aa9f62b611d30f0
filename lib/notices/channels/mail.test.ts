import { createServer, type Socket } from "node:net";
import type { SMTPServerOptions } from "smtp-server";
import { expect, onTestFinished, test } from "vitest";
import { listen } from "@/e2e/support/listen";
import { type CaughtMail, NOTICE, startMailServer } from "@/e2e/support/receivers";
import { SECOND } from "@/lib/format/time";
import type { Message } from "@/lib/notices/message";
import { isOfServer, SENT_WITHIN, SERVER_WAIT, send, sendConfirmation } from "./mail";

const again = (reason: string) => ({ kind: "again", reason, arrived: "no" });
const UNSUBSCRIBE = "https://console.example.com/notices/unsubscribe?key=k";
const ONE_CLICK = "https://console.example.com/ingest/notices/unsubscribe/k";

/** A real mail server on loopback, until the test ends. */
async function mailServer(options?: SMTPServerOptions): Promise<{ port: number; caught: CaughtMail[] }> {
  const { port, mails, stop } = await startMailServer(options);
  onTestFinished(stop);
  return { port, caught: mails };
}

/** What speaks at a port as told. */
async function listener(speak: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.resume().on("error", () => {}));
    speak(socket);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return listen(server);
}

type Options = { signal?: AbortSignal; serverWait?: number; sentWithin?: number; login?: string };

function sendTo(
  port: number,
  message: Partial<Message> = {},
  { signal = new AbortController().signal, login = "", ...options }: Options = {},
) {
  const server = { url: `smtp://${login}127.0.0.1:${port}`, from: "notices@example.com" };
  const target = { email: "ann@example.org", unsubscribe: UNSUBSCRIBE, oneClick: ONE_CLICK, server };
  return send(target, { ...NOTICE, ...message }, { signal, ...options });
}

test("a mail has text and HTML parts and unsubscribes with one click", async () => {
  const { port, caught } = await mailServer();
  expect(await sendTo(port)).toEqual({ kind: "delivered" });
  const [{ parsed, raw, to } = {} as CaughtMail] = caught;
  expect(to).toEqual(["ann@example.org"]);
  expect(parsed.from).toMatchObject({ name: "Console", address: "notices@example.com" });
  expect(parsed.subject).toBe("web-1 is offline");
  for (const text of [parsed.text, parsed.html || ""]) {
    for (const part of [NOTICE.title, NOTICE.lines[0], NOTICE.link, UNSUBSCRIBE]) expect(text).toContain(part);
  }
  expect(parsed.html).not.toMatch(/<img|<script|<style|src=/i);
  expect(raw.length).toBeLessThan(4000);
  expect(parsed.messageId).toBe("<msg_1@example.com>");
  expect(raw).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  expect(raw.replace(/\r?\n\s+/g, " ")).toContain(`List-Unsubscribe: <${ONE_CLICK}>`);
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
});

test.each([
  ["web\r\nBcc: eve@example.net", "web Bcc: eve@example.net"],
  ["web\nSubject: x", "web Subject: x"],
  ["\u202Etxt.exe\u2066 is offline", "txt.exe is offline"],
  ['<i>web</i> & "co"', '<i>web</i> & "co"'],
  ["=?utf-8?q?tricky?=", "= ?utf-8?q?tricky?="],
  ["Störung 😀", "Störung 😀"],
])("a server that is called %j stays text in subject, headers and HTML", async (title, shown) => {
  const { port, caught } = await mailServer();
  expect(await sendTo(port, { title, lines: [title] })).toEqual({ kind: "delivered" });
  const [{ parsed, to } = {} as CaughtMail] = caught;
  expect(parsed.subject).toBe(shown);
  expect(to).toEqual(["ann@example.org"]);
  expect(parsed.headers.map(({ key }) => key)).not.toContain("bcc");
  expect(parsed.html).not.toMatch(/<i\b|<\/i/);
  expect(parsed.text?.split("\n")[0]).toBe(shown);
});

test("a long name is cut", async () => {
  const { port, caught } = await mailServer();
  await sendTo(port, { title: "x".repeat(10_000), lines: ["y".repeat(10_000)] });
  expect(caught[0]?.parsed.subject).toHaveLength(150);
  expect(caught[0]?.raw.length).toBeLessThan(5000);
});

test("a mail that the server refuses at any stage is tried again", async () => {
  const atEnd = (responseCode: number) =>
    mailServer({
      onData(stream, _, done) {
        stream.resume().on("end", () => done(Object.assign(new Error("no"), { responseCode })));
      },
    });
  for (const [code, reason] of [
    [451, "The mail server answered 451."],
    [554, "The mail server refused the message: it answered 554."],
  ] as const) {
    expect(await sendTo((await atEnd(code)).port)).toEqual(again(reason));
    expect(isOfServer(reason)).toBe(code === 451);
  }
  const unknown = await mailServer({
    onRcptTo: (_, __, done) => done(Object.assign(new Error("nobody"), { responseCode: 550 })),
  });
  expect(await sendTo(unknown.port)).toEqual(again("The mail server refused the address: it answered 550."));
  const foreign = await mailServer({
    allowInsecureAuth: true,
    onAuth: (_, __, done) => done(Object.assign(new Error("no"), { responseCode: 535 })),
  });
  expect(await sendTo(foreign.port, {}, { login: "user:pass@" })).toEqual(
    again("The mail server refused the console's password."),
  );
});

test("a server that is late, hanging or unreachable is given up within ten seconds", async () => {
  const silent = await listener(() => {});
  const hangs = await listener((socket) => {
    socket.write("220 hello\r\n");
  });
  const gone = await listener((socket) => void socket.destroy());
  const ports = [silent, hangs, gone];
  const [late, hanging, reset] = await Promise.all(ports.map((port) => sendTo(port, {}, { serverWait: SECOND / 5 })));
  expect(late).toEqual(again("The mail server did not greet in time."));
  expect(hanging).toMatchObject({ kind: "again" });
  expect(reset).toMatchObject({ kind: "again" });
  expect(SERVER_WAIT).toBe(10 * SECOND);
});

test("a mail server that never ends its answer is given up after thirty seconds", async () => {
  const port = await listener((socket) => {
    socket.write("220 hello\r\n");
    const dripping = setInterval(() => socket.write("250-more\r\n"), 10);
    socket.on("close", () => clearInterval(dripping));
  });
  const outcome = await sendTo(port, {}, { sentWithin: SECOND / 2 });
  expect(outcome).toEqual({ kind: "again", reason: "The mail server took longer than 0.5 seconds." });
  expect(SENT_WITHIN).toBe(30 * SECOND);
});

test("a certificate that nobody trusts stops the mail before anything of it is sent", async () => {
  const { port, caught } = await mailServer({ disabledCommands: [] });
  expect(await sendTo(port)).toEqual(again("The mail server's certificate is not trusted."));
  expect(caught).toEqual([]);
});

test("a console that stops does not wait for the mail server", async () => {
  // Before it has connected, it would go on to whoever listens at this port next.
  let isConnected = false;
  const port = await listener(() => {
    isConnected = true;
  });
  const ending = new AbortController();
  const outcome = sendTo(port, {}, { signal: ending.signal });
  await expect.poll(() => isConnected).toBe(true);
  ending.abort();
  expect(await outcome).toEqual({ kind: "again", reason: "The console was stopped while it sent this." });
});

test("the question whether an address is right holds its link, and no unsubscription", async () => {
  const { port, caught } = await mailServer();
  const link = "https://console.example.com/notices/confirm?key=k";
  const server = { url: `smtp://127.0.0.1:${port}`, from: "notices@example.com" };
  const outcome = await sendConfirmation(
    { email: "ann@example.org", link, id: "c-1", server },
    new AbortController().signal,
  );
  expect(outcome).toEqual({ kind: "delivered" });
  expect(caught[0]?.parsed.text).toContain(link);
  expect(caught[0]?.parsed.html).toContain(link);
  expect(caught[0]?.raw).not.toContain("List-Unsubscribe");
});
