import { createTransport } from "nodemailer";
import { SECOND } from "@/lib/format/time";
import type { Message, Outcome } from "@/lib/notices/message";
import { oneLine } from "@/lib/notices/plain-text";

/** For the connection, the greeting, and each silence of the server, in milliseconds. */
export const SERVER_WAIT = 10 * SECOND;
/** For all of it. */
const SENT_WITHIN = 30 * SECOND;
const MAX_SUBJECT = 150;
const MAX_LINE = 500;

/** A mail server, and the address that mail comes from. */
type MailServer = { url: string; from: string };

/** Both end these mails: `unsubscribe` is a page with a button, `oneClick` takes a POST (RFC 8058). */
type MailTarget = { email: string; unsubscribe: string; oneClick: string; server: MailServer };

type Mail = { email: string; subject: string; text: string; html: string; headers: Record<string, string>; id: string };

/** Sends a message as mail. `message.link` is a whole address. Never throws. */
export async function send(
  { email, unsubscribe, oneClick, server }: MailTarget,
  message: Message,
  { signal, serverWait = SERVER_WAIT }: { signal: AbortSignal; serverWait?: number },
): Promise<Outcome> {
  const { id, title, link } = message;
  const lines = message.lines.map((line) => oneLine(line, MAX_LINE));
  // "=?" would begin an encoded word, which programs decode to what was taken out here.
  const subject = oneLine(title, MAX_SUBJECT).replaceAll("=?", "= ?");
  return hand(
    server,
    {
      email,
      id: messageId(id, server),
      subject,
      text: [subject, "", ...lines, "", link, "", `Stop these mails: ${unsubscribe}`, ""].join("\n"),
      html: htmlOf(
        [subject, ...lines].map((line, at) =>
          at === 0 ? `<p><b>${escapeHtml(line)}</b></p>` : `<p>${escapeHtml(line)}</p>`,
        ),
        link,
        `<a href="${escapeHtml(unsubscribe)}">Stop these mails</a>`,
      ),
      headers: {
        "List-Unsubscribe": `<${oneClick}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      },
    },
    signal,
    serverWait,
  );
}

/** Asks the owner of an address whether notices may be sent there. `link` leads to a page with a button. Never throws. */
export async function sendConfirmation(
  { email, link, id, server }: { email: string; link: string; id: string; server: MailServer },
  signal: AbortSignal,
): Promise<Outcome> {
  const lines = [
    "Somebody asked the console to send you notices about their servers.",
    "If that was you, open this page and press the button. The link works once, for 48 hours.",
  ];
  const end = "If it was not you, do nothing: no notice is sent here.";
  return hand(
    server,
    {
      email,
      id: messageId(id, server),
      subject: "Confirm that notices may be sent here",
      text: [...lines, "", link, "", end, ""].join("\n"),
      html: htmlOf(
        lines.map((line) => `<p>${line}</p>`),
        link,
        end,
      ),
      headers: {},
    },
    signal,
  );
}

async function hand(server: MailServer, mail: Mail, signal: AbortSignal, serverWait = SERVER_WAIT): Promise<Outcome> {
  const transport = createTransport({
    url: server.url,
    connectionTimeout: serverWait,
    greetingTimeout: serverWait,
    socketTimeout: serverWait,
    dnsTimeout: serverWait,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  let give: (reason: string) => void = () => {};
  const givenUp = new Promise<Outcome>((resolve) => {
    give = (reason) => resolve({ kind: "again", reason });
  });
  const stop = () => give("The console was stopped while it sent this.");
  const timer = setTimeout(() => give("The mail server took longer than 30 seconds."), SENT_WITHIN);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const sent = transport
    .sendMail({
      from: { name: "Console", address: server.from },
      to: { name: "", address: mail.email },
      messageId: mail.id,
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      headers: { "Auto-Submitted": "auto-generated", ...mail.headers },
    })
    .then((): Outcome => ({ kind: "delivered" }), failure);
  try {
    return await Promise.race([sent, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
    transport.close();
  }
}

/** Whether the mail server failed, through which all mail goes, and not one address. */
export function isOfServer(reason: string): boolean {
  return /^The mail server(?! answered)/.test(reason);
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number };

/** Every failure is tried again: what a mail server refuses today may be a mistake in its settings. */
function failure(error: SmtpError): Outcome {
  const { responseCode, command, code } = error;
  if (responseCode !== undefined) {
    return { kind: "again", reason: `The mail server answered ${responseCode}.`, arrived: "no" };
  }
  const isUnsent = command === "CONN" || code === "EDNS" || code === "ECONNREFUSED" || code === "ETLS";
  return { kind: "again", reason: reasonOf(error), ...(isUnsent && { arrived: "no" }) };
}

/** The texts of errors are not shown: they name the operator's mail server. */
function reasonOf({ code, message, command }: SmtpError): string {
  if (/certificate|altname|self.signed|unable to verify/i.test(message)) {
    return "The mail server's certificate is not trusted.";
  }
  if (code === "ETIMEDOUT") {
    return command === "CONN" ? "The mail server did not greet in time." : "The mail server stopped answering.";
  }
  if (code === "EAUTH") return "The mail server refused the console's password.";
  return command === "CONN" || code === "EDNS" || code === "ECONNREFUSED"
    ? "The mail server cannot be reached."
    : "The mail server ended the connection.";
}

function messageId(id: string, { from }: MailServer): string {
  return `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`;
}

function htmlOf(paragraphs: readonly string[], link: string, end: string): string {
  const address = escapeHtml(link);
  return `<!doctype html>\n<meta charset="utf-8">\n${paragraphs.join("\n")}\n<p><a href="${address}">${address}</a></p>\n<p><small>${end}</small></p>\n`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
