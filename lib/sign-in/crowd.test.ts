import { expect, test } from "vitest";
import { hasRoom, ifRoom } from "./crowd";

/** An attempt that lasts until it is told to end. */
function attemptFrom(ip: string | null) {
  let end: () => void = () => {};
  const result = ifRoom(ip, () => new Promise<string>((resolve) => (end = () => resolve("judged"))));
  return { result, end: () => end() };
}

test("a crowd from one network finds no more room, and leaves room for others, until one of it is done", async () => {
  const crowd = Array.from({ length: 4 }, (_, i) => attemptFrom(`2001:db8:1:1::${i}`));
  expect(hasRoom("2001:db8:1:1::99")).toBe(false);
  expect(await ifRoom("2001:db8:1:1::99", async () => "judged")).toBeNull();
  expect(await ifRoom("2001:db8:1:2::1", async () => "judged")).toBe("judged");
  crowd[0]?.end();
  await crowd[0]?.result;
  expect(await ifRoom("2001:db8:1:1::99", async () => "judged")).toBe("judged");
  for (const { end } of crowd) end();
  await Promise.all(crowd.map(({ result }) => result));
});

test("a crowd from everywhere is bounded as well, and a failed attempt gives its room back", async () => {
  const crowd = Array.from({ length: 16 }, (_, i) => attemptFrom(`198.51.100.${i}`));
  expect(hasRoom("203.0.113.1")).toBe(false);
  expect(hasRoom(null)).toBe(false);
  for (const { end } of crowd) end();
  expect(await Promise.all(crowd.map(({ result }) => result))).toEqual(Array(16).fill("judged"));
  for (let i = 0; i < 10; i++) {
    await expect(
      ifRoom(null, async () => {
        throw new Error("no database");
      }),
    ).rejects.toThrow("no database");
  }
  expect(hasRoom(null)).toBe(true);
});
