import { setImmediate as nextTurn } from "node:timers/promises";
import { Fragment } from "react";

type Props<Item> = {
  items: readonly Item[];
  /** How many are rendered in a turn of the event loop. */
  atOnce: number;
  /** Renders an item, with its `key`. */
  children: (item: Item) => React.ReactNode;
};

/** Renders many items in several turns of the event loop, so that a long page holds up nobody else's request. */
export function InTurns<Item>({ items, atOnce, children }: Props<Item>) {
  return Array.from({ length: Math.ceil(items.length / atOnce) }, (_, turn) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name
    <Part key={turn} turn={turn} items={items.slice(turn * atOnce, (turn + 1) * atOnce)}>
      {children}
    </Part>
  ));
}

type PartProps<Item> = { turn: number; items: readonly Item[]; children: (item: Item) => React.ReactNode };

async function Part<Item>({ turn, items, children }: PartProps<Item>) {
  for (let passed = 0; passed < turn; passed++) await nextTurn();
  return <Fragment>{items.map(children)}</Fragment>;
}
