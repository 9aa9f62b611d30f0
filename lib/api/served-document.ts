import { servedOrigin } from "@/lib/http/own-origin";
import { env } from "@/lib/process/env";
import { perProcess } from "@/lib/process/per-process.mjs";
import { type OpenApiDocument, openApiDocument } from "./openapi";

/** The document as this console serves it, and the origin of the console, by the headers of a GET. */
export function servedDocument(headers: Headers): { document: OpenApiDocument; origin: string } {
  const origin = servedOrigin(headers);
  return { document: openApiDocument(origin, env.contactUrl), origin };
}

/** By what is written and the origin. */
const texts = perProcess("served-texts", () => new Map<string, string>());
/** Three documents of eight origins. Clients choose the origin (their Host), so the number is limited. */
const MAX_TEXTS = 24;

/** A text made of the document. It is the same for everybody who asks at the same origin, so it is kept. */
export function servedText(name: string, write: (document: OpenApiDocument, origin: string) => string) {
  return (headers: Headers): string => {
    const { document, origin } = servedDocument(headers);
    const key = `${name} ${origin}`;
    const text = texts.get(key) ?? write(document, origin);
    // The text that was asked for last is dropped last.
    texts.delete(key);
    texts.set(key, text);
    const [oldest] = texts.keys();
    if (texts.size > MAX_TEXTS && oldest !== undefined) texts.delete(oldest);
    return text;
  };
}
