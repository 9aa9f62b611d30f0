import { once } from "node:events";
import { createTransport } from "nodemailer";
import { SECOND } from "@/lib/format/time";
import type { Message, Outcome } from "@/lib/notices/message";
import { oneLine } from "@/lib/notices/plain-text";
import { deadline } from "@/lib/process/deadline";

/** For the connection, the greeting, and each silence of the server, in milliseconds. */
export const SERVER_WAIT = 10 * SECOND;
/** For all of it. */
export const SENT_WITHIN = 30 * SECOND;
type Waits = { serverWait?: number; sentWithin?: number };
const MAX_SUBJECT = 150;
const MAX_LINE = 500;

/** Why no mail goes out of a console without a mail server. */
export const NO_SERVER = "This console sends no mail: SMTP_URL is not set.";

/** A mail server, and the address that mail comes from. */
type MailServer = { url: string; from: string };

/** Both end these mails: `unsubscribe` is a page with a button, `oneClick` takes a POST (RFC 8058). */
type MailTarget = { email: string; unsubscribe: string; oneClick: string; server: MailServer };

type Mail = {
  email: string;
  id: string;
  subject: string;
  /** Stands above the others. */
  head?: string;
  lines: readonly string[];
  link: string;
  end: { words: string; link?: string };
  headers?: Record<string, string>;
};

/** Sends a message as mail. `message.link` is a whole address. Never throws. */
export async function send(
  { email, unsubscribe, oneClick, server }: MailTarget,
  { id, title, lines, link }: Message,
  { signal, ...waits }: { signal: AbortSignal } & Waits,
): Promise<Outcome> {
  // "=?" would begin an encoded word, which programs decode to what was taken out here.
  const subject = oneLine(title, MAX_SUBJECT).replaceAll("=?", "= ?");
  const mail = {
    ...{ email, id, subject, head: subject, lines: lines.map((line) => oneLine(line, MAX_LINE)), link },
    end: { words: "Stop these mails", link: unsubscribe },
    headers: { "List-Unsubscribe": `<${oneClick}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" },
  };
  return hand(server, mail, signal, waits);
}

/** Asks the owner of an address whether notices may be sent there. `link` leads to a page with a button. Never throws. */
export async function sendConfirmation(
  { email, link, id, server }: { email: string; link: string; id: string; server: MailServer },
  signal: AbortSignal,
): Promise<Outcome> {
  const mail = {
    ...{ email, id, subject: "Confirm that notices may be sent here", link },
    lines: [
      "Somebody asked the console to send you notices about their servers.",
      "If that was you, open this page and press the button. The link works once, for 48 hours.",
    ],
    end: { words: "If it was not you, do nothing: no notice is sent here." },
  };
  return hand(server, mail, signal);
}

async function hand(
  server: MailServer,
  mail: Mail,
  signal: AbortSignal,
  { serverWait = SERVER_WAIT, sentWithin = SENT_WITHIN }: Waits = {},
): Promise<Outcome> {
  const transport = createTransport({
    url: server.url,
    connectionTimeout: serverWait,
    greetingTimeout: serverWait,
    socketTimeout: serverWait,
    dnsTimeout: serverWait,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const ending = deadline(signal, sentWithin);
  const isOver = ending.signal.aborted ? Promise.resolve() : once(ending.signal, "abort");
  const givenUp = isOver.then((): Outcome => {
    const reason = signal.aborted
      ? "The console was stopped while it sent this."
      : `The mail server took longer than ${sentWithin / SECOND} seconds.`;
    return { kind: "again", reason };
  });
  const sent = transport
    .sendMail({
      from: { name: "Console", address: server.from },
      to: { name: "", address: mail.email },
      messageId: `<${mail.id}@${server.from.slice(server.from.lastIndexOf("@") + 1)}>`,
      subject: mail.subject,
      text: textOf(mail),
      html: htmlOf(mail),
      headers: { "Auto-Submitted": "auto-generated", ...mail.headers },
    })
    .then((): Outcome => ({ kind: "delivered" }), failure);
  try {
    return await Promise.race([sent, givenUp]);
  } finally {
    ending.end();
    transport.close();
  }
}

function textOf({ head, lines, link, end }: Mail): string {
  const [above, last] = [head === undefined ? [] : [head, ""], end.link ? `${end.words}: ${end.link}` : end.words];
  return [...above, ...lines, "", link, "", last, ""].join("\n");
}

function htmlOf({ head, lines, link, end }: Mail): string {
  const paragraphs = lines.map((line) => `<p>${escapeHtml(line)}</p>`);
  if (head !== undefined) paragraphs.unshift(`<p><b>${escapeHtml(head)}</b></p>`);
  const linked = (to: string, words: string) => `<a href="${escapeHtml(to)}">${escapeHtml(words)}</a>`;
  const last = end.link ? linked(end.link, end.words) : end.words;
  return `<!doctype html>\n<meta charset="utf-8">\n${paragraphs.join("\n")}\n<p>${linked(link, link)}</p>\n<p><small>${last}</small></p>\n`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
}

/** Whether the mail server failed, through which all mail goes, and not one address. */
export function isOfServer(reason: string): boolean {
  return reason === NO_SERVER || /^The mail server(?! refused the (?:address|message))/.test(reason);
}

type SmtpError = Error & { code?: string; command?: string; responseCode?: number };

/**
 * Every failure is tried again: what a mail server refuses today may be a mistake in its settings. The texts of errors are not
 * shown: they name the operator's mail server.
 */
function failure({ responseCode, command, code, message }: SmtpError): Outcome {
  const isUnreached = command === "CONN" || code === "EDNS" || code === "ECONNREFUSED";
  const again = (reason: string, isUnsent = isUnreached || code === "ETLS"): Outcome => {
    return { kind: "again", reason, ...(isUnsent && { arrived: "no" }) };
  };
  if (code === "EAUTH") return again("The mail server refused the console's password.", true);
  if (responseCode !== undefined) {
    const what = command === "RCPT TO" ? "address" : command === "DATA" && responseCode >= 500 ? "message" : null;
    const does = what === null ? "answered" : `refused the ${what}: it answered`;
    return again(`The mail server ${does} ${responseCode}.`, true);
  }
  if (/certificate|altname|self.signed|unable to verify/i.test(message)) {
    return again("The mail server's certificate is not trusted.");
  }
  if (code === "ETIMEDOUT") {
    return again(command === "CONN" ? "The mail server did not greet in time." : "The mail server stopped answering.");
  }
  return again(isUnreached ? "The mail server cannot be reached." : "The mail server ended the connection.");
}
