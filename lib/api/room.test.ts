import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ROOM_WAIT, Rooms } from "./room";

const MB = 2 ** 20;

/** An answer that is made and not read yet. */
async function takeMade(rooms: Rooms, tokenId: number, bytes: number) {
  const room = await rooms.take(tokenId, bytes);
  room?.resize(bytes);
  return room;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("answers of one token get 24 MB of room, and the next waits until one of them is read", async () => {
  const rooms = new Rooms(2);
  const first = await takeMade(rooms, 1, 12 * MB);
  await takeMade(rooms, 1, 12 * MB);
  const third = vi.fn();
  void rooms.take(1, MB).then(third);
  await vi.advanceTimersByTimeAsync(ROOM_WAIT - 1);
  expect(third).not.toHaveBeenCalled();
  expect(await takeMade(rooms, 2, MB)).not.toBeNull();
  first?.release();
  first?.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(third).toHaveBeenCalledWith(expect.objectContaining({ release: expect.any(Function) }));
});

test("who finds no room for four seconds gets none, and holds none", async () => {
  const rooms = new Rooms(2);
  const room = await rooms.take(1, 24 * MB);
  const refused = rooms.take(1, MB);
  await vi.advanceTimersByTimeAsync(ROOM_WAIT);
  expect(await refused).toBeNull();
  room?.release();
  expect(await rooms.take(1, 24 * MB)).not.toBeNull();
});

test("all tokens together get 96 MB, whatever each of them has left, and what takes no room never waits", async () => {
  const rooms = new Rooms(2);
  for (const tokenId of [1, 2, 3, 4]) await takeMade(rooms, tokenId, 24 * MB);
  const fifth = rooms.take(5, MB);
  expect(await rooms.take(5, 0)).not.toBeNull();
  expect(await rooms.take(1, 0)).not.toBeNull();
  await vi.advanceTimersByTimeAsync(ROOM_WAIT);
  expect(await fifth).toBeNull();
});

test("an answer that turns out smaller makes room, one that turns out larger takes it, and a single one always fits", async () => {
  const rooms = new Rooms(2);
  const large = await rooms.take(1, 0);
  large?.resize(200 * MB);
  const waiting = rooms.take(2, MB);
  large?.resize(MB);
  expect(await waiting).not.toBeNull();
  expect(await new Rooms(2).take(1, 200 * MB)).not.toBeNull();
});

test("at most a hundred requests wait, and fifty of one token; the next is refused at once, unless it need not wait", async () => {
  const rooms = new Rooms(2);
  for (const tokenId of [1, 2]) await takeMade(rooms, tokenId, 24 * MB);
  const wait = (tokenId: number) => Array.from({ length: 50 }, () => rooms.take(tokenId, MB));
  const waiting = wait(1);
  expect(await rooms.take(1, MB)).toBeNull();
  waiting.push(...wait(2));
  const making = await rooms.take(3, 8 * MB);
  expect(making).not.toBeNull();
  expect(await rooms.take(4, MB)).toBeNull();
  await vi.advanceTimersByTimeAsync(ROOM_WAIT);
  expect(await Promise.all(waiting)).toEqual(Array(100).fill(null));
  making?.release();
  expect(await rooms.take(4, MB)).not.toBeNull();
});

test("a token with many requests that wait lets one of another token go before its second", async () => {
  const rooms = new Rooms(2);
  const order: string[] = [];
  const take = async (name: string, tokenId: number) => {
    const room = await rooms.take(tokenId, 8 * MB);
    order.push(name);
    room?.release();
  };
  const making = await rooms.take(1, 8 * MB);
  const all = [take("1a", 1), take("1b", 1), take("1c", 1), take("2a", 2), take("2b", 2)];
  making?.release();
  await Promise.all(all);
  expect(order).toEqual(["1a", "2a", "1b", "2b", "1c"]);
});

test("with two cores a week or some days are made at once; nobody overtakes who waits", async () => {
  const rooms = new Rooms(2);
  const [week, day, other] = [vi.fn(), vi.fn(), vi.fn()];
  const making = await rooms.take(1, 5 * MB);
  void rooms.take(2, 8 * MB).then(week);
  void rooms.take(3, MB).then(day);
  void rooms.take(4, MB).then(other);
  expect(await rooms.take(5, 0)).not.toBeNull();
  expect(week).not.toHaveBeenCalled();
  expect(day).not.toHaveBeenCalled();
  making?.resize(20 * MB);
  await vi.advanceTimersByTimeAsync(0);
  expect(week).toHaveBeenCalledOnce();
  expect(day).not.toHaveBeenCalled();
  week.mock.lastCall?.[0].release();
  await vi.advanceTimersByTimeAsync(0);
  expect(day).toHaveBeenCalledOnce();
  expect(other).toHaveBeenCalledOnce();
});

test("a token's requests are made in their order, also where a newer one came when fewer waited", async () => {
  const rooms = new Rooms(2);
  const order: string[] = [];
  const made: (() => void)[] = [];
  const take = (name: string) => {
    void rooms.take(1, 8 * MB).then((room) => {
      order.push(name);
      made.push(() => room?.release());
    });
  };
  const finish = async () => {
    await vi.advanceTimersByTimeAsync(0);
    made.shift()?.();
    await vi.advanceTimersByTimeAsync(0);
  };
  for (const name of ["a", "b", "c", "d"]) take(name);
  await finish();
  await finish();
  take("e");
  await finish();
  await finish();
  expect(order).toEqual(["a", "b", "c", "d", "e"]);
});

test("whoever goes away while waiting gives its place up at once", async () => {
  const rooms = new Rooms(2);
  const making = await rooms.take(1, 8 * MB);
  const client = new AbortController();
  const left = rooms.take(1, 8 * MB, client.signal);
  client.abort();
  expect(await left).toBeNull();
  const next = rooms.take(2, 8 * MB);
  making?.release();
  expect(await next).not.toBeNull();
});

test("every two cores further let another week be made at once", async () => {
  const rooms = new Rooms(8);
  for (const tokenId of [1, 2, 3, 4]) expect(await rooms.take(tokenId, 8 * MB)).not.toBeNull();
  const fifth = rooms.take(5, 8 * MB);
  await vi.advanceTimersByTimeAsync(ROOM_WAIT);
  expect(await fifth).toBeNull();
});
