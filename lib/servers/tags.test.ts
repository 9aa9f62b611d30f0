import { expect, test } from "vitest";
import { mintToken } from "@/lib/tokens/format";
import { MAX_TAG_LENGTH, MAX_TAGS } from "./tag-text";
import { changedTags, checkTags, normalTag } from "./tags";

test("tags are parted by commas and lines, normalised, each once, in order", () => {
  expect(checkTags(" Web ,db\r\n\n,EU   west,, web,caf\u0065\u0301,Größe-1")).toEqual({
    kind: "valid",
    tags: ["café", "db", "eu west", "größe-1", "web"],
  });
  expect(checkTags(" , \n")).toEqual({ kind: "valid", tags: [] });
  expect(checkTags("数据库, team:ops/1, c++")).toMatchObject({ kind: "valid" });
});

test("ten tags of 32 characters in any script are accepted", () => {
  const tags = Array.from({ length: MAX_TAGS }, (_, index) => `${index}`.padEnd(MAX_TAG_LENGTH, "x"));
  expect(checkTags(tags.join())).toEqual({ kind: "valid", tags });
  expect(normalTag("e\u0301".repeat(MAX_TAG_LENGTH))).toBe("é".repeat(MAX_TAG_LENGTH));
  expect(normalTag("𠮷".repeat(MAX_TAG_LENGTH))).toBe("𠮷".repeat(MAX_TAG_LENGTH));
});

test.each([
  ["eleven tags", "1,2,3,4,5,6,7,8,9,10,11", "A server has at most 10 tags."],
  ["33 characters", "a".repeat(33), "A tag has at most 32 characters."],
  ["a very long one", "a".repeat(2000), "A tag has at most 32 characters."],
  ["markup", "ok, <b>x</b>", "A tag begins with a letter or a digit"],
  [
    "a right-to-left mark",
    "ab\u202Ec",
    "A tag cannot hold line breaks, control characters or text-direction characters.",
  ],
  ["a tab inside", "a\u0007b", "A tag cannot hold line breaks"],
  ["signs alone", "---", "A tag begins with a letter or a digit"],
  ["nothing that can be seen", "\u200B", "A tag needs at least one character that can be seen."],
  ["a token", mintToken(), "That looks like a token or a key."],
])("%s get a sentence", (_, typed, message) => {
  const checked = checkTags(typed);
  expect(checked).toMatchObject({ kind: "invalid", message: expect.stringContaining(message) });
  // What turns text around is not repeated.
  expect(JSON.stringify(checked)).not.toContain("\u202E");
});

test("tags are added and removed, and more than ten are none", () => {
  expect(changedTags(["b", "a"], { add: ["c", "a"], remove: ["b", "x"] })).toEqual(["a", "c"]);
  expect(changedTags(["1", "2", "3", "4", "5", "6"], { add: ["7", "8", "9", "10", "11"], remove: [] })).toBeNull();
  expect(changedTags(["1", "2", "3", "4", "5", "6"], { add: ["7", "8", "9", "10", "11"], remove: ["1"] })).toHaveLength(
    10,
  );
});
