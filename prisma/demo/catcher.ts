import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createPlainServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { listen } from "@/server/listen";

/** The newest messages are kept, in memory. */
export const MOST_MESSAGES = 50;

/** `url`: the page that shows what arrived; a POST to it is a webhook. */
export type Catcher = { url: string; smtpUrl: string; stop(): void };
type Keep = (title: string, text: string) => void;

/** Takes the mail and the webhooks that the demo's console sends, and shows them on a page: on loopback, at free ports. */
export async function startCatcher(): Promise<Catcher> {
  const caught: string[] = [];
  let number = 0;
  const keep: Keep = (title, text) => {
    const head = escapeHtml(`${title}, ${new Date().toUTCString()}`);
    const linked = escapeHtml(text).replace(/https?:\/\/(?:[^\s&\\]|&#38;)+/g, '<a href="$&">$&</a>');
    const id = `m${++number}`;
    caught.unshift(`<article aria-labelledby="${id}"><h2 id="${id}">${head}</h2><pre>${linked}</pre></article>`);
    caught.splice(MOST_MESSAGES);
  };
  const mail = createPlainServer((socket) => {
    socket.on("error", () => socket.destroy());
    takeMail(socket, keep).catch(() => socket.destroy());
  });
  const web = createServer((request, response) => {
    answer(request, response, caught, keep).catch(() => response.destroy());
  });
  const [port, smtpPort] = [await listen(web, 0, "127.0.0.1"), await listen(mail, 0, "127.0.0.1")];
  return {
    ...{ url: `http://127.0.0.1:${port}`, smtpUrl: `smtp://127.0.0.1:${smtpPort}` },
    stop() {
      mail.close();
      web.close();
      web.closeAllConnections();
    },
  };
}

/** Shows what arrives while the page is open. A reload would take back what a person is just going to. */
const SHOW_WHAT_ARRIVES = `let shown;
setInterval(async () => {
  const page = await (await fetch("/")).text();
  if (page !== shown) document.body.innerHTML = shown = page;
}, 2000);`;

/** As much of SMTP as the console speaks. */
async function takeMail(socket: Socket, keep: Keep): Promise<void> {
  socket.write("220 demo\r\n");
  let lines: string[] | null = null;
  for await (const line of createInterface(socket)) {
    if (lines !== null && line !== ".") lines.push(line.replace(/^\./, ""));
    else {
      if (lines) keep(`Mail: ${lines.find((one) => one.startsWith("To: "))}`, readMail(lines.join("\n")));
      lines = line === "DATA" ? [] : null;
      socket.write(line === "DATA" ? "354 Go on\r\n" : "250 OK\r\n");
      if (line === "QUIT") socket.end();
    }
  }
}

/** What a person reads of a mail: its plain text, which the console sends as it is or quoted-printable. */
function readMail(raw: string): string {
  // The lines of a head, one of which names the type, and what follows up to the next part.
  const [, head = "", body = raw] = /((?:.+\n)*.*text\/plain.*\n(?:.+\n)*)\n([\s\S]*?)(?:\n--|$)/.exec(raw) ?? [];
  if (!head.includes("quoted-printable")) return body;
  const bytes = body.replace(/=(?:\n|([\dA-F]{2}))/g, (_, hex) => (hex ? String.fromCharCode(Number(`0x${hex}`)) : ""));
  return Buffer.from(bytes, "latin1").toString();
}

async function answer(request: IncomingMessage, response: ServerResponse, caught: string[], keep: Keep): Promise<void> {
  const { method, url, headers } = request;
  // A page elsewhere whose name leads here could else read the mails.
  if (!/^(?:127\.0\.0\.1|localhost):/.test(headers.host ?? "")) return void response.writeHead(421).end();
  if (method === "POST") {
    const facts = Object.entries(headers).filter(([name]) => name.startsWith("webhook-"));
    const body = JSON.stringify(JSON.parse(await text(request)), null, 2);
    keep(`Webhook: POST ${url}`, [...facts.map((fact) => fact.join(": ")), "", body].join("\n"));
    return void response.writeHead(204).end();
  }
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Sent by the demo</title>
<style>:root { color-scheme: light dark; font-family: system-ui } pre { white-space: pre-wrap; overflow-wrap: anywhere }</style>
<h1>Sent by the demo</h1>
<p>All mail of the demo's console arrives here, and every webhook that names this address: the newest ${MOST_MESSAGES}.</p>
${caught.join("\n") || "<p>Nothing has arrived yet.</p>"}
<script type="module">${SHOW_WHAT_ARRIVES}</script>`);
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
