import { exchange } from "./exchange";
import { origin } from "./over-http";

export const HOST = "Host: console.example\r\n";
export const CLOSE = "Connection: close\r\n";

/** What the site's console answers to these bytes. */
export const send = (bytes: string) => exchange(bytes, origin);

/** The answers on a connection, in the order in which they came. */
export function statusesOf(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
