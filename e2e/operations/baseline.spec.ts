import { readFileSync } from "node:fs";
import { describeDatabase } from "@/e2e/support/described-database";
import { expect, test } from "@/e2e/support/fixtures";
import { runSql } from "@/e2e/support/run-sql";
import { createEmptyDatabase } from "@/e2e/support/test-database";
import { migrate } from "@/scripts/database";
import { MAKE_TABLE } from "@/scripts/migrate/records";

test("the baseline makes exactly what the 33 migrations make", async () => {
  const [made, before] = await Promise.all([createEmptyDatabase(), createEmptyDatabase()]);
  try {
    await runSql(made.url, MAKE_TABLE);
    await runSql(made.url, readFileSync("prisma/baseline.sql", "utf8"));
    await migrate(before.url);
    const { migrations, ...expected } = await describeDatabase(before.url);
    expect(migrations).toHaveLength(33);
    expect({ ...(await describeDatabase(made.url)), migrations }).toEqual({ ...expected, migrations });
  } finally {
    await Promise.all([made.stop(), before.stop()]);
  }
});
