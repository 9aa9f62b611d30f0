import { expect } from "vitest";
import type { Visitor } from "./visitor";

/** Expects this ip on the page, and no text that holds it in one piece, in which a browser finds no place to break it. */
export function expectBreakable(page: Visitor, ip: string): void {
  const marked = page.$(".ip").filter((_, part) => page.$(part).text().includes(ip));
  expect(marked.length, page.url).toBeGreaterThan(0);
  const whole = page
    .$("body, body *")
    .not(".visually-hidden, .visually-hidden *")
    .contents()
    .filter((_, node) => node.type === "text" && page.$(node).text().includes(ip))
    .map((_, node) => page.$(node).text())
    .get();
  expect(whole, page.url).toEqual([]);
}
