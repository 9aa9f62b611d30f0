import { expect, test } from "vitest";
import { csvRow } from "./csv";

test("numbers stand as they are, and texts are quoted where they need it", () => {
  expect(csvRow(["a", 'b "c", d', -1.5, null, "two\nlines"])).toBe('a,"b ""c"", d",-1.5,,"two\nlines"\r\n');
});

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1"])("%j is a text to a spreadsheet, not a formula", (text) => {
  expect(csvRow([text])).toBe(`"'${text}"\r\n`);
});
