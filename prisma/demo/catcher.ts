import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { SECOND } from "@/lib/format/time";
import { type Caught, catcherPage, SCRIPT, STYLE } from "./catcher-page";

/** The newest messages are kept, in memory. */
export const MOST_MESSAGES = 50;
/** In bytes, as a message arrives. A longer one is refused. */
export const MAX_MESSAGE = 64 * 1024;
/** Connections at a time: of mail, and of webhooks and the page. */
const MOST_CONNECTIONS = 50;
/** A sender who is silent for longer is cut off, in milliseconds. */
const PATIENCE = 10 * SECOND;
/** Opening brackets of JSON that is shown indented: each nested one makes the lines longer. */
const MOST_INDENTED = 200;

export type Catcher = {
  /** The page that shows what arrived. A POST to any path of it is a webhook. */
  url: string;
  smtpUrl: string;
  stop(): Promise<void>;
};

/** Takes the mail and the webhooks that the demo's console sends, and shows them on a page: on loopback, at free ports. */
export async function startCatcher(): Promise<Catcher> {
  const caught: Caught[] = [];
  let count = 0;
  const keep = (message: Omit<Caught, "number" | "at">) => {
    caught.unshift({ number: ++count, at: new Date(), ...message });
    caught.splice(MOST_MESSAGES);
  };
  const mail = mailServer(keep);
  const web = createServer({ requestTimeout: PATIENCE }, (request, response) => {
    void answer(request, response, { caught: () => caught, newest: () => count, keep });
  });
  web.maxConnections = MOST_CONNECTIONS;
  const port = await listen(web);
  const smtpPort = await listen(mail.server);
  return {
    url: `http://127.0.0.1:${port}`,
    smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
    async stop() {
      web.close();
      web.closeAllConnections();
      await new Promise<void>((resolve) => mail.close(resolve));
    },
  };
}

type Keep = (message: Omit<Caught, "number" | "at">) => void;

function mailServer(keep: Keep): SMTPServer {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    disableReverseLookup: true,
    size: MAX_MESSAGE,
    maxClients: MOST_CONNECTIONS,
    socketTimeout: PATIENCE,
    closeTimeout: SECOND,
    onData(stream, { envelope }, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => {
        if (!stream.sizeExceeded) pieces.push(piece);
      });
      stream.on("end", async () => {
        if (stream.sizeExceeded) return done(Object.assign(new Error("Too long."), { responseCode: 552 }));
        const raw = Buffer.concat(pieces);
        const to = envelope.rcptTo.map(({ address }) => address).join(", ");
        keep({ kind: "Mail", facts: [["To", to]], ...(await readMail(raw)) });
        done();
      });
    },
  });
  // Of a connection that broke off.
  server.on("error", () => {});
  return server;
}

/** What a person reads of a mail; all of it as it came where that cannot be told. */
async function readMail(raw: Buffer): Promise<Pick<Caught, "title" | "text">> {
  try {
    const { subject = "", text } = await PostalMime.parse(raw);
    return { title: subject, text: text ?? raw.toString() };
  } catch {
    return { title: "", text: raw.toString() };
  }
}

type Box = { caught(): readonly Caught[]; newest(): number; keep: Keep };

async function answer(request: IncomingMessage, response: ServerResponse, box: Box): Promise<void> {
  const { method, url = "", headers } = request;
  response.setHeader("Cache-Control", "no-store");
  // A page elsewhere whose name leads here could else read the mails.
  if (!/^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(headers.host ?? "")) return void response.writeHead(421).end();
  if (method === "POST") return takeWebhook(request, response, box.keep);
  if (method !== "GET") return void response.writeHead(405, { Allow: "GET, POST" }).end();
  if (url === "/newest") return void response.end(String(box.newest()));
  if (url !== "/") return void response.writeHead(404).end();
  response.setHeader("Content-Security-Policy", POLICY);
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.end(catcherPage(box.caught(), { newest: box.newest(), most: MOST_MESSAGES }));
}

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const POLICY = [
  "default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  `style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}`,
].join("; ");

async function takeWebhook(request: IncomingMessage, response: ServerResponse, keep: Keep): Promise<void> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > MAX_MESSAGE) return void response.writeHead(413, { Connection: "close" }).end();
      pieces.push(piece);
    }
  } catch {
    // It broke off.
    return;
  }
  const { url = "", headers } = request;
  const facts = Object.entries(headers).flatMap(([name, value]): Caught["facts"] =>
    name.startsWith("webhook-") ? [[name, String(value)]] : [],
  );
  const body = Buffer.concat(pieces).toString();
  keep({ kind: "Webhook", title: `POST ${url}`, facts, text: indented(body) });
  response.writeHead(204).end();
}

function indented(body: string): string {
  try {
    if (body.split(/[[{]/).length <= MOST_INDENTED) return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    // Not JSON: as it came.
  }
  return body;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
