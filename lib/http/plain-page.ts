import { plainPageText } from "./plain-page-text.mjs";

type PlainPage = {
  status: number;
  title: string;
  text: string;
  hint?: string;
  link?: { href: string; words: string };
  /** The nonce of the Content-Security-Policy that the answer is sent with. */
  nonce: string;
};

/** A whole page without any script, for when the console itself cannot answer. The texts are ours. */
export function plainPage({ status, ...page }: PlainPage): Response {
  return new Response(plainPageText(page), { status, headers: { "Content-Type": "text/html; charset=utf-8" } });
}
