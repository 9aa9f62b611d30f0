import { nextTurn } from "@/lib/process/turns";

type Props<Item> = {
  items: readonly Item[];
  /** How many are rendered in a turn of the event loop. */
  atOnce: number;
  /** Renders an item, with its `key`. */
  children: (item: Item) => React.ReactNode;
};

/** Renders many items in several turns of the event loop, so that a long page does not delay other requests. */
export function InTurns<Item>({ items, atOnce, children }: Props<Item>) {
  return Array.from({ length: Math.ceil(items.length / atOnce) }, (_, turn) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no other name
    <Part key={turn} isFirst={turn === 0} items={items.slice(turn * atOnce, (turn + 1) * atOnce)}>
      {children}
    </Part>
  ));
}

type PartProps<Item> = { isFirst: boolean; items: readonly Item[]; children: (item: Item) => React.ReactNode };

async function Part<Item>({ isFirst, items, children }: PartProps<Item>) {
  // The rest of the page is made at once, and so is what most people have.
  if (!isFirst) await nextTurn();
  return items.map(children);
}
