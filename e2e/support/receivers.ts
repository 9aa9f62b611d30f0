import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { Message } from "@/lib/notices/message";
import { listen } from "./listen";

/** A notice as channels get it. */
export const NOTICE: Message = {
  id: "msg_1",
  title: "web-1 is offline",
  lines: ["Since 07:23 UTC."],
  events: [],
  link: "https://console.example.com/dashboard/servers/7",
  at: "2026-11-23T07:28:10.000Z",
};

export type CaughtMail = { to: string[]; raw: string; parsed: Email };

/** A real mail server on loopback that keeps what it gets. */
export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: CaughtMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      let raw = "";
      stream.on("data", (piece) => (raw += piece));
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        void PostalMime.parse(raw).then((parsed) => {
          mails.push({ to, raw, parsed });
          done();
        });
      });
    },
    ...options,
  });
  server.on("error", () => {});
  const port = await listen(server.server);
  return {
    mails,
    port,
    url: `smtp://127.0.0.1:${port}`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type Received = { headers: IncomingHttpHeaders; body: string };

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks on loopback that keeps what it gets, and answers as told or with this status. */
export async function startReceiver(answer: Answer | number = 204) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      received.push({ headers: request.headers, body });
      if (typeof answer === "number") response.writeHead(answer).end();
      else answer(response, request);
    });
  });
  const port = await listen(server);
  return {
    received,
    port,
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
