import fc from "fast-check";
import { expect, test } from "vitest";
import { ApiError } from "@/lib/api/api-error";
import { unpackSnappy } from "./snappy";

const LIMIT = 100_000;
const tooLarge = () => new ApiError(413, "too large");
const unpack = (...bytes: number[]) =>
  Buffer.from(unpackSnappy(Uint8Array.from(bytes), LIMIT, tooLarge)).toString("latin1");
const text = (value: string) => [...Buffer.from(value, "latin1")];

test("literals and copies of every kind unpack as the format describes", () => {
  expect(unpack(0)).toBe("");
  expect(unpack(3, 2 << 2, ...text("abc"))).toBe("abc");
  // A copy with one byte of offset, which reaches into what it writes.
  expect(unpack(9, 1 << 2, ...text("ab"), 1 | ((7 - 4) << 2), 2)).toBe("ababababa");
  // Offsets of two and of four bytes.
  expect(unpack(6, 2 << 2, ...text("abc"), 2 | (2 << 2), 3, 0)).toBe("abcabc");
  expect(unpack(6, 2 << 2, ...text("abc"), 3 | (2 << 2), 3, 0, 0, 0)).toBe("abcabc");
  // Literals whose length stands in one byte and in two.
  const [long, longer] = ["x".repeat(100), "y".repeat(300)];
  expect(unpack(100, 60 << 2, 99, ...text(long))).toBe(long);
  expect(unpack(0xac, 0x02, 61 << 2, 0x2b, 0x01, ...text(longer))).toBe(longer);
  // The upper bits of a short offset stand in the tag.
  expect(unpack(0xb0, 0x02, 61 << 2, 0x2b, 0x01, ...text(longer), 1 | (1 << 5), 0x2b)).toBe(`${longer}yyyy`);
});

test("a block that announces too much is refused before anything is unpacked", () => {
  const announced = (length: number[]) => () => unpackSnappy(Uint8Array.from([...length, 0, 65]), LIMIT, tooLarge);
  expect(announced([0xa1, 0x8d, 0x06])).toThrow(expect.objectContaining({ status: 413 }));
  expect(announced([0xff, 0xff, 0xff, 0xff, 0x0f])).toThrow(expect.objectContaining({ status: 413 }));
});

test("a block of wrong length or with a copy from nowhere is 400", () => {
  for (const bytes of [
    [],
    [0x80],
    [0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    [3],
    [3, 2 << 2, 97, 98],
    [3, 3 << 2, 97, 98, 99, 100],
    [4, 2 << 2, 97, 98, 99],
    [4, 0, 97, 1 | (0 << 2)],
    [5, 0, 97, 1, 0],
    [5, 0, 97, 1, 2],
    [5, 0, 97, 2, 1],
    [5, 0, 97, 3, 1, 0, 0],
    [5, 63 << 2, 255, 255, 255, 255],
    [5, 60 << 2],
  ]) {
    expect(() => unpack(...bytes), bytes.join()).toThrow(expect.objectContaining({ status: 400 }));
  }
});

test("whatever the bytes are, they are unpacked to the announced length or refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        expect(unpackSnappy(bytes, LIMIT, tooLarge).length).toBeLessThanOrEqual(LIMIT);
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }),
    { numRuns: 5000 },
  );
});
