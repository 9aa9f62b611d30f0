import { expect, test } from "vitest";
import { selectRows } from "./rows";

const ROWS = [
  { id: 1, a: { b: 5 }, on: true },
  { id: 2, a: { b: null }, on: false },
  { id: 3, a: { b: 9 }, on: true },
  { id: 4, on: true },
];
const select = (input: Parameters<typeof selectRows>[3]) => selectRows(ROWS, ["id", "a.b", "on"], ["id"], input);
const where = (field: string, is: "=" | "!=" | "<" | ">", value: number | boolean | null | string) => [
  { field, is, value },
];

test.each([
  [{}, [1, 2, 3, 4]],
  [{ where: where("on", "=", false) }, [2]],
  [{ where: where("on", "!=", false) }, [1, 3, 4]],
  [{ where: where("a.b", ">", 5) }, [3]],
  [{ where: where("a.b", "<", 9) }, [1]],
  [{ where: where("a.b", ">", "5") }, []],
  [{ where: where("a.b", "=", null) }, [2, 4]],
  [{ where: where("a.b", "!=", null) }, [1, 3]],
  [{ where: [...where("on", "=", true), ...where("a.b", "=", 5)] }, [1]],
  [{ sort: "a.b" }, [1, 3, 2, 4]],
  [{ sort: "-a.b" }, [3, 1, 2, 4]],
] as const)("%j leaves these rows, in this order, absent values last", (input, ids) => {
  expect(select(input as Parameters<typeof select>[0]).rows).toEqual(ids.map((id) => ({ id })));
});

test("an answer counts all rows and those that match, and has the chosen fields", () => {
  expect(select({ where: where("on", "=", true), fields: ["a.b", "on"], limit: 2 })).toEqual({
    ...{ total: 4, matching: 3 },
    rows: [
      { "a.b": 5, on: true },
      { "a.b": 9, on: true },
    ],
  });
});
