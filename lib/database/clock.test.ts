import { expect, onTestFinished, test, vi } from "vitest";
import { databaseTime, noteDatabaseTime } from "./clock";

test("the estimated PostgreSQL time ignores this machine's clock and follows PostgreSQL's own", () => {
  vi.useFakeTimers({ toFake: ["performance", "Date"] });
  onTestFinished(() => void vi.useRealTimers());
  expect(databaseTime()).toBeNull();
  noteDatabaseTime(5_000_000);
  vi.advanceTimersByTime(2500);
  vi.setSystemTime(0);
  expect(databaseTime()).toBe(5_002_500);
  // It left PostgreSQL before the last one and took longer.
  noteDatabaseTime(5_002_100);
  expect(databaseTime()).toBe(5_002_500);
  for (const hour of [3_600_000, -3_600_000]) {
    noteDatabaseTime(5_002_500 + hour);
    expect(databaseTime()).toBe(5_002_500 + hour);
  }
});
