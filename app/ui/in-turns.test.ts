import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createElement } from "react";
import { prerenderToNodeStream } from "react-dom/static";
import { expect, test } from "vitest";
import { InTurns } from "./in-turns";

test("items are rendered in order, with a limit for each event loop turn", async () => {
  const items = Array.from({ length: 95 }, (_, n) => n);
  let rendered = 0;
  let isDone = false;
  const turns: number[] = [];
  const watch = (async () => {
    while (!isDone) {
      const before = rendered;
      await nextTurn();
      if (rendered > before) turns.push(rendered - before);
    }
  })();
  const children = (item: number) => {
    rendered++;
    return createElement("li", { key: item }, item);
  };
  const { prelude } = await prerenderToNodeStream(
    createElement("ul", null, createElement(InTurns<number>, { items, atOnce: 20, children })),
  );
  const html = await text(prelude);
  isDone = true;
  await watch;
  expect(html).toBe(`<ul>${items.map((item) => `<li>${item}</li>`).join("")}</ul>`);
  expect(Math.max(...turns)).toBeLessThanOrEqual(20);
});
