/** The request header in which proxy.ts tells a page its own path, query included. */
export const PATH_HEADER = "x-console-path";

/** The longest path with its query; the console's own are far shorter. */
const MAX_LENGTH = 2000;

/**
 * A path of the console, query included, from text that anybody may have written; null for everything that could lead
 * elsewhere. The result is taken from the parsed URL, so a browser and this function read the same thing.
 */
export function parseOwnPath(text: string | null | undefined): string | null {
  const base = "http://console.invalid";
  if (!text?.startsWith("/") || text.length > MAX_LENGTH || !URL.canParse(text, base)) return null;
  const url = new URL(text, base);
  // `/.//elsewhere.example` stays on the origin while it is parsed, and leaves it when its path is used again.
  if (url.origin !== base || url.pathname.startsWith("//")) return null;
  return url.pathname + url.search;
}
