import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ROOM_WAIT, Rooms } from "./room";

const MB = 2 ** 20;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("answers of one token get 24 MB of room, and the next waits until one of them is read", async () => {
  const rooms = new Rooms();
  const first = await rooms.take(1, 12 * MB);
  await rooms.take(1, 12 * MB);
  const third = vi.fn();
  void rooms.take(1, MB).then(third);
  await vi.advanceTimersByTimeAsync(ROOM_WAIT - 1);
  expect(third).not.toHaveBeenCalled();
  expect(await rooms.take(2, MB)).not.toBeNull();
  first?.release();
  first?.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(third).toHaveBeenCalledWith(expect.objectContaining({ release: expect.any(Function) }));
});

test("who finds no room for two seconds gets none, and holds none", async () => {
  const rooms = new Rooms();
  const room = await rooms.take(1, 24 * MB);
  const refused = rooms.take(1, MB);
  await vi.advanceTimersByTimeAsync(ROOM_WAIT);
  expect(await refused).toBeNull();
  room?.release();
  expect(await rooms.take(1, 24 * MB)).not.toBeNull();
});

test("all tokens together get 96 MB, whatever each of them has left, and what takes no room never waits", async () => {
  const rooms = new Rooms();
  for (const tokenId of [1, 2, 3, 4]) await rooms.take(tokenId, 24 * MB);
  const fifth = rooms.take(5, MB);
  expect(await rooms.take(5, 0)).not.toBeNull();
  expect(await rooms.take(1, 0)).not.toBeNull();
  await vi.advanceTimersByTimeAsync(ROOM_WAIT);
  expect(await fifth).toBeNull();
});

test("an answer that turns out smaller makes room, one that turns out larger takes it, and a single one always fits", async () => {
  const rooms = new Rooms();
  const large = await rooms.take(1, 0);
  large?.resize(200 * MB);
  const waiting = rooms.take(2, MB);
  large?.resize(MB);
  expect(await waiting).not.toBeNull();
  expect(await new Rooms().take(1, 200 * MB)).not.toBeNull();
});

test("at most a hundred requests wait; the next is refused at once", async () => {
  const rooms = new Rooms();
  await rooms.take(1, 24 * MB);
  const waiting = Array.from({ length: 100 }, () => rooms.take(1, MB));
  expect(await rooms.take(1, MB)).toBeNull();
  await vi.advanceTimersByTimeAsync(ROOM_WAIT);
  expect(await Promise.all(waiting)).toEqual(Array(100).fill(null));
});
