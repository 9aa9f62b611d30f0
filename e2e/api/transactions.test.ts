import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useRealTimers } from "@/e2e/support/real-timers";
import { db, pool } from "@/lib/database/client";
import { SECOND } from "@/lib/format/time";
import { LONGEST_WAIT } from "@/lib/process/in-time";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(useRealTimers);

test("a transaction lasts for as long as a request may wait, and no longer", async () => {
  const lasting = (ms: number) =>
    db.$transaction(async (tx) => {
      await vi.advanceTimersByTimeAsync(ms);
      return tx.account.count({ where: { email: "nobody" } });
    });
  expect(await lasting(LONGEST_WAIT - SECOND)).toBe(0);
  await expect(lasting(LONGEST_WAIT + SECOND)).rejects.toMatchObject({ code: "P2028" });
});

test("a transaction waits for its connection for as long as a request may wait", async () => {
  const held = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const counting = db.$transaction((tx) => tx.account.count({ where: { email: "nobody" } }));
  await vi.advanceTimersByTimeAsync(LONGEST_WAIT - SECOND);
  for (const client of held) client.release();
  expect(await counting).toBe(0);
});

test("PostgreSQL ends a transaction whose process stays silent, without leaving a setting behind", async () => {
  const asked =
    "select extract(epoch from current_setting('idle_in_transaction_session_timeout')::interval)::int as seconds";
  const secondsOf = (rows: unknown) => (rows as { seconds: number }[])[0]?.seconds;
  const bound = (2 * LONGEST_WAIT) / SECOND;
  expect(secondsOf(await db.$transaction((tx) => tx.$queryRawUnsafe(asked)))).toBe(bound);
  expect(secondsOf((await pool.transaction((send) => send({ text: asked }))).rows)).toBe(bound);
  expect(secondsOf((await pool.query(asked)).rows)).toBe(0);
});
