import { afterEach, expect, test, vi } from "vitest";
import { HeldBytes, readInTurn } from "./bodies";
import { BusyError } from "./busy-error";
import {
  ALL_NODES,
  admission,
  FIRST_BYTES,
  PURPOSES,
  payerOfNode,
  RESOURCES,
  type Resource,
  reportBusy,
} from "./shares";

const MB = 2 ** 20;

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** What one body holds, which is given back when the test is over. */
function bodiesOf() {
  const all: HeldBytes[] = [];
  const hold = (payer: number | string, bytes: number) => {
    const held = new HeldBytes(payer);
    all.push(held);
    held.atLeast(bytes);
    return held;
  };
  const end = () => {
    for (const held of all) held.release();
  };
  return { hold, [Symbol.dispose]: end };
}

const held = () =>
  Object.fromEntries(RESOURCES.map((name, index) => [name, admission.held()[index]])) as Record<Resource, number>;

test("bodies hold 96 MB beyond their first 16 KB, a quarter of it for one account; who finds none left is refused at once and holds nothing", () => {
  using bodies = bodiesOf();
  for (const account of [1, 2, 3, 4]) {
    for (let n = 0; n < 24; n++) bodies.hold(account, FIRST_BYTES + MB);
    expect(() => bodies.hold(account, FIRST_BYTES + 1), "beyond the quarter of an account").toThrow(BusyError);
    expect(held().arriving).toBe(account * 24 * MB);
  }
  const refused = PURPOSES.body.counts.refused;
  const growing = bodies.hold(5, FIRST_BYTES);
  const before = held().firstBytes;
  let isFreed = false;
  growing.whenReleased(() => (isFreed = true));
  expect(() => growing.atLeast(FIRST_BYTES + 1), "beyond all of it").toThrow(BusyError);
  expect([isFreed, PURPOSES.body.counts.refused]).toEqual([true, refused + 1]);
  expect(before - held().firstBytes).toBe(FIRST_BYTES);
});

test("the first 16 KB of bodies have 32 MB of their own, 4 of it for one account, whatever large bodies hold", () => {
  using bodies = bodiesOf();
  for (const account of [1, 2, 3, 4]) {
    // Their first bytes count against the reserve, as those of any body.
    for (let n = 0; n < 24; n++) bodies.hold(account, FIRST_BYTES + MB);
    for (let n = 24; n < 256; n++) bodies.hold(account, FIRST_BYTES);
    expect(() => bodies.hold(account, 1), "beyond the 4 MB of an account").toThrow(BusyError);
  }
  for (let account = 5; account <= 8; account++) {
    for (let n = 0; n < 256; n++) bodies.hold(account, FIRST_BYTES);
  }
  expect([held().firstBytes, held().arriving]).toEqual([32 * MB, 96 * MB]);
  expect(() => bodies.hold(9, 1), "beyond all of it").toThrow(BusyError);
});

test("bytes that are given back are there for the next body, and nothing is held in the end", () => {
  {
    using bodies = bodiesOf();
    const first = bodies.hold(1, FIRST_BYTES + 24 * MB);
    expect(() => bodies.hold(1, FIRST_BYTES + 1)).toThrow(BusyError);
    first.release();
    first.release();
    bodies.hold(1, FIRST_BYTES + 24 * MB);
  }
  expect([held().firstBytes, held().arriving]).toEqual([0, 0]);
});

/** Keeps the thread for so long, as a body does that is dear to read. */
function workFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test("one body is read at a time, and bodies of one account that are dear to read take turns with another's", async () => {
  const order: number[] = [];
  let reading = 0;
  const read = (account: number) =>
    readInTurn(account, "", async () => {
      reading++;
      await null;
      workFor(8);
      expect(reading).toBe(1);
      reading--;
      order.push(account);
    });
  await Promise.all([...Array.from({ length: 10 }, () => read(1)), ...Array.from({ length: 5 }, () => read(2))]);
  // By turns, but for a body that took longer beside other work.
  expect(order.slice(0, 12).filter((account) => account === 2)).toHaveLength(5);
  expect(order.filter((account) => account === 1)).toHaveLength(10);
});

test("a thousand bodies of one account that take less than 5 ms each to read need no rest between them", async () => {
  // Who rests waits for a timer.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  let clock = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  const order: number[] = [];
  const read = (n: number) => () => {
    clock += 4;
    order.push(n);
  };
  await Promise.all(Array.from({ length: 1000 }, (_, n) => readInTurn(3, String(n), read(n))));
  expect(order).toHaveLength(1000);
});

test("once bodies were read for over 5 ms in a turn of the event loop, the next one waits for another turn", async () => {
  let clock = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => clock);
  let turn = 0;
  const next = () => {
    turn++;
    immediate = setImmediate(next);
  };
  let immediate = setImmediate(next);
  const readIn = new Map<number, number>();
  const read = () => {
    clock += 4;
    readIn.set(turn, (readIn.get(turn) ?? 0) + 1);
  };
  await Promise.all(Array.from({ length: 20 }, (_, n) => readInTurn(5, String(n), read)));
  clearImmediate(immediate);
  expect(Math.max(...readIn.values())).toBe(2);
});

test("a body that cannot be read gives its turn to the next one", async () => {
  const broken = readInTurn(4, "", () => {
    throw new Error("broken");
  });
  const next = readInTurn(4, "", () => "read");
  await expect(broken).rejects.toThrow("broken");
  expect(await next).toBe("read");
});

test.each([
  ["an account", 7, { account: 7 }],
  ["a network", "192.0.2.0/24", { network: "192.0.2.0/24" }],
  ["an edge node", payerOfNode(7), { node: 7 }],
  ["all edge nodes", ALL_NODES, { node: "all" }],
])("the log names %s that exceeds its share", (name, payer, named) => {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  // Another reason each time, since one that is repeated is counted.
  reportBusy(`of ${name}`, payer);
  expect(JSON.parse(String(write.mock.calls[0]?.[0]))).toMatchObject({ event: "busy", ...named });
});
