import { createHash } from "node:crypto";
import { openApiDocument } from "@/lib/api/openapi";
import { shownOrigin } from "@/lib/http/own-origin";

export const dynamic = "force-dynamic";

const HEADERS = {
  // To be asked for again each time; the answer is empty while nothing changed.
  "Cache-Control": "no-cache",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "ETag",
};

/** The document of the API (OpenAPI 3.1), for anybody and from any origin. */
export function GET(request: Request): Response {
  const text = JSON.stringify(openApiDocument(shownOrigin(request.headers)));
  const tag = `"${createHash("sha256").update(text).digest("base64url")}"`;
  const headers = { ...HEADERS, ETag: tag };
  if (isKnown(request.headers.get("if-none-match"), tag)) return new Response(null, { status: 304, headers });
  return new Response(request.method === "HEAD" ? null : text, {
    headers: { ...headers, "Content-Type": "application/json; charset=utf-8" },
  });
}

export const HEAD = GET;

/** A browser asks before it sends If-None-Match to another origin. */
export function OPTIONS(): Response {
  const headers = {
    ...HEADERS,
    "Access-Control-Allow-Methods": "GET, HEAD",
    "Access-Control-Allow-Headers": "If-None-Match",
  };
  return new Response(null, { status: 204, headers });
}

/** Whether If-None-Match names the tag; weak tags are equal to strong ones there (RFC 9110, 13.1.2). */
function isKnown(ifNoneMatch: string | null, tag: string): boolean {
  const tags = (ifNoneMatch ?? "").split(",").map((part) => part.trim().replace(/^W\//, ""));
  return tags.includes(tag) || tags.includes("*");
}
