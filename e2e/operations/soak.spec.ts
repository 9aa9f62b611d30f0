import { expect, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { MINUTE } from "@/lib/format/time";
import { soak } from "@/scripts/soak/soak";

// One minute of `npm run soak`.

test("a minute of mixed load with both stores frozen, killed and restarted, then 1,500 bodies whose ends never come: no wrong status, no request beyond the limit, no revoked token let in, bounded memory, no secret in the log", {
  tag: ["@one-engine", "@waits"],
}, async () => {
  needs("postgres", "redis-server");
  const { problems, troubles, revocations, withheld, most, answers } = await soak(MINUTE);
  expect(problems).toEqual([]);
  expect(new Set(troubles.map(({ what }) => what)).size).toBe(4);
  expect(revocations).toBeGreaterThan(0);
  expect(withheld.statuses.get(503)).toBeGreaterThan(1000);
  expect(most.alone).toBeGreaterThan(60);
  expect(answers.some(({ status }) => status === 503)).toBe(true);
});
