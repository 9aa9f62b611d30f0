import { expect } from "vitest";
import type { Visitor } from "./visitor";

/** Whether this ip is on the page, marked as an ip. */
export const hasIp = (page: Visitor, ip: string): boolean => page.textsOf(".ip").some((text) => text.includes(ip));

/** Expects no text that holds this ip in one piece, in which a browser finds no place to break it. */
export function expectNowhereWhole(page: Visitor, ip: string): void {
  const whole = page
    .$("body, body *")
    .not(".visually-hidden, .visually-hidden *")
    .contents()
    .filter((_, node) => node.type === "text" && page.$(node).text().includes(ip))
    .map((_, node) => page.$(node).text())
    .get();
  expect(whole, page.url).toEqual([]);
}
