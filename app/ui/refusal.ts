"use client";

// What came in place of the answer to a form that a script sent. Next throws it away, whatever it says, so it is read here,
// once for all forms: people read what they would read without JavaScript.

/** Where a page leads, if that is another address of the console. */
type Link = { href: string; words: string };

/** The words of an answer that is not one of a server action. */
export class Refusal extends Error {
  override name = "Refusal";

  constructor(
    readonly title: string,
    readonly text: string,
    /** The status of the answer: 409, the form is of another version, and only a page that is loaded anew can send it. */
    readonly status: number,
    readonly link: Link | null = null,
  ) {
    super(`${title} ${text}`.trim());
  }
}

/** What became of a form without an answer; null: no answer came at all. */
export type Failure = Refusal | null;

/** The header that Next sends with every call of a server action. */
const ACTION_HEADER = "next-action";
/** A page of something in between may be long. */
const MOST_WORDS = 400;
/** The policy of the page that reads it forbids these, and the browser would complain. */
const STYLES = /<style[\s\S]*?<\/style>|\sstyle\s*=\s*(?:"[^"]*"|'[^']*')/gi;

/** Makes the words of an error that a server action threw, or that kept its answer from coming. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Refusal) return error;
  // The console failed while it answered. Its log has the rest.
  const digest = error instanceof Error && "digest" in error ? String(error.digest) : null;
  // Next's own errors, such as the one that leads to sign-in, are no failures.
  if (digest === null || digest.startsWith("NEXT_")) return null;
  const text = `The console could not finish this. Try again in a moment. For the operator: error ${digest}`;
  return new Refusal("Something went wrong on our side.", text, 500);
}

/** Lets calls of server actions throw what they are refused with. Next calls the `fetch` of the window. */
function readRefusals(): void {
  const { fetch } = window;
  window.fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isAction = new Headers(init?.headers).has(ACTION_HEADER);
    const type = response.headers.get("content-type") ?? "";
    if (!isAction || type.startsWith("text/x-component") || response.headers.has("x-action-redirect")) return response;
    const refusal = read(type, await response.text(), response.status);
    if (refusal === null) throw new TypeError("No answer of the console.");
    throw refusal;
  };
}

/** Reads HTML, JSON or plain text. Null for a gateway without words: the console has not answered it. */
function read(type: string, body: string, status: number): Failure {
  const { title = "", text, link = null } = wordsOf(type, body);
  if (title || text) return new Refusal(asSentence(title), text, status, link);
  if (isOfGateway(status)) return null;
  const words = `A proxy or a firewall in between may have answered, with status ${status}.`;
  return new Refusal("The form was refused without a reason.", words, status);
}

/** Whether a status says that a gateway got no answer, so that the form may have done its work. The console sends none of these. */
export function isOfGateway(status: number): boolean {
  return status > 500 && status !== 503;
}

function wordsOf(type: string, body: string): { title?: string; text: string; link?: Link | null } {
  if (/^application\/(?:[\w.-]+\+)?json/i.test(type)) return wordsOfJson(body);
  if (/^text\/plain/i.test(type)) return { text: inOneLine(body) };
  return /^(?:text\/html|application\/xhtml)/i.test(type) ? wordsOfPage(body) : { text: "" };
}

function wordsOfPage(body: string) {
  const page = new DOMParser().parseFromString(body.replace(STYLES, ""), "text/html");
  for (const unread of page.querySelectorAll("script, template")) unread.remove();
  const title = inOneLine(page.querySelector("h1")?.textContent ?? page.title);
  const anchor = page.querySelector<HTMLAnchorElement>("main a[href^='http']");
  const link = anchor && { href: anchor.href, words: inOneLine(anchor.textContent) };
  for (const other of page.querySelectorAll("h1, a")) other.remove();
  const paragraphs = [...page.querySelectorAll("p")].map((one) => inOneLine(one.textContent)).filter(Boolean);
  return { title, text: inOneLine(paragraphs.join(" ") || page.body.textContent), link };
}

function wordsOfJson(body: string) {
  try {
    const { error, message, title = "", detail = "" } = JSON.parse(body) ?? {};
    const text = [error, message, detail].find((one) => typeof one === "string" && one !== "") ?? "";
    return { title: inOneLine(String(title)), text: inOneLine(text) };
  } catch {
    return { text: inOneLine(body) };
  }
}

function inOneLine(text: string | null): string {
  return (text ?? "").replace(/\s+/g, " ").trim().slice(0, MOST_WORDS);
}

function asSentence(title: string): string {
  return title === "" || /[.!?]$/.test(title) ? title : `${title}.`;
}

if (typeof window !== "undefined") readRefusals();
