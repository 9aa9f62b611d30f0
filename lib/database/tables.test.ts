import { expect, test } from "vitest";
import type { db } from "./client";
import { table } from "./tables";

// What schema.prisma does not name, or names no more, does not compile: the type check reads this file.

test("SQL names only columns of the schema, as does the typed client", () => {
  const account = table("Account", "a");
  expect(`${account.disabledAt}`).toBe("a.disabled_at");
  // @ts-expect-error
  expect(account.renamed).toBeUndefined();
  // Never called.
  const ask = ({ account }: typeof db) => [
    // @ts-expect-error
    account.findMany({ where: { renamed: 1 } }),
    // @ts-expect-error
    account.findMany({ select: { renamed: true } }),
    // @ts-expect-error
    account.findFirst().then((row) => row?.renamed),
  ];
  expect(ask).toHaveLength(1);
});
