import { expect, test } from "vitest";
import { diskKey } from "./readings";

test("a key takes at most 128 bytes in the database, longer ones are ignored", () => {
  const keyOf = (mount: string) => diskKey(mount, "ext4", "size");
  for (const [letter, bytes] of [
    ["a", 1],
    ["é", 2],
    ["€", 3],
    ["\u{1f600}", 4],
    ["\u0001", 6],
    ['"', 2],
  ] as const) {
    // Quotes, "disk|/" and "|size" are 13 bytes.
    const most = Math.floor(115 / bytes);
    const key = keyOf(`/${letter.repeat(most)}`);
    expect(key, letter).toBe(`disk|/${letter.repeat(most)}|size`);
    expect(Buffer.byteLength(JSON.stringify(key)), letter).toBeLessThanOrEqual(128);
    expect(keyOf(`/${letter.repeat(most + 1)}`), letter).toBeNull();
  }
});
