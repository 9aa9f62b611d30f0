import { expect, test } from "vitest";
import { isDatabaseUnavailable } from "./health";

const refused = (code: string) => Object.assign(new Error("refused"), { code });
/** As Prisma tells of a raw query. */
const refusedRaw = (originalCode: string) =>
  Object.assign(refused("P2010"), { meta: { driverAdapterError: { cause: { originalCode } } } });

test("a full or read-only database is unavailable, one that refuses a row is not", () => {
  for (const [code, isUnavailable] of [
    ["53100", true],
    ["25006", true],
    ["23505", false],
  ] as const) {
    for (const error of [refused(code), refusedRaw(code), new Error("failed", { cause: refused(code) })]) {
      expect(isDatabaseUnavailable(error), code).toBe(isUnavailable);
    }
  }
});
