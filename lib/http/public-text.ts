import { createHash } from "node:crypto";

const PLAIN = "text/plain; charset=utf-8";
const HEADERS = {
  // Caches must ask each time; while nothing has changed, the answer is an empty 304.
  "Cache-Control": "no-cache",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag",
};

/**
 * The handlers of a text for anybody and from any origin, with a tag: 304 for a client that has it already. `write` is given
 * the headers of the request; null is a 404.
 */
export function publicText(contentType: string, write: (headers: Headers) => string | null) {
  const answer = (request: Request) => answerText(request, write(request.headers), contentType);
  return { GET: answer, HEAD: answer, OPTIONS: answerPreflight };
}

/** The handlers of a text that is no longer there: 410, and a sentence that says what to use. */
export function withdrawnText(sentence: string) {
  const headers = { "Access-Control-Allow-Origin": "*", "Content-Type": PLAIN };
  const answer = ({ method }: Request) =>
    new Response(method === "HEAD" ? null : `${sentence}\n`, { status: 410, headers });
  return { GET: answer, HEAD: answer, OPTIONS: answerPreflight };
}

function answerText(request: Request, text: string | null, contentType: string): Response {
  if (text === null) return new Response("Not found.\n", { status: 404, headers: { "Content-Type": PLAIN } });
  // Weak, because the text may be sent compressed or not, and a strong tag would promise the same bytes.
  const tag = `W/"${createHash("sha256").update(text).digest("base64url")}"`;
  const headers = { ...HEADERS, ETag: tag };
  if (isKnown(request.headers.get("if-none-match"), tag)) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : text, {
    headers: { ...headers, "Content-Type": contentType },
  });
}

/** A browser asks before it sends If-None-Match to another origin. */
function answerPreflight(): Response {
  const headers = {
    ...HEADERS,
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "If-None-Match",
  };
  return new Response(null, { status: 204, headers });
}

/** Whether If-None-Match names the tag; weak tags are equal to strong ones there (RFC 9110, 13.1.2). */
function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((part) => part.trim().replace(/^(?:W\/)?"/, 'W/"'));
  return tags.includes(tag) || tags.includes("*");
}
