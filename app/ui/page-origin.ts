import { headers } from "next/headers";
import { shownOrigin } from "@/lib/http/own-origin";

/** The origin for the examples on a page: the one under which the page itself was opened. */
export async function pageOrigin(): Promise<string> {
  return shownOrigin(await headers());
}
