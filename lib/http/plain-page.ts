import { plainPageText } from "./plain-page-text.mjs";

type PlainPage = Parameters<typeof plainPageText>[0] & { status: number };

/** A whole page without any script, for when the console itself cannot answer. The texts are ours. */
export function plainPage({ status, ...page }: PlainPage): Response {
  return new Response(plainPageText(page), { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
