import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { forClient, inTime, TimeUpError, waitingTime, withoutClient, withWaitingTime } from "./request-context.mjs";

const never = () => new Promise<never>(() => {});

/** Milliseconds that are left after a task within 5,000. */
const leftAfter = (task: () => Promise<unknown>) =>
  withWaitingTime(async () => {
    await task();
    return waitingTime()?.left ?? 0;
  }, 5000);

test("waits use up the time of a request together; those at the same moment count once, and what it does between them counts nothing", async () => {
  const short = () => inTime(() => wait(200));
  expect(await leftAfter(() => wait(200))).toBe(5000);
  expect(await leftAfter(short)).toBeLessThan(5000);
  const all = Array.from({ length: 10 }, () => short);
  expect(await leftAfter(() => Promise.all(all.map((each) => each())))).toBeGreaterThan(3500);
  expect(await leftAfter(() => inTime(() => inTime(short)))).toBeGreaterThan(3500);
  const inTurn = async () => {
    for (const each of all) await each();
  };
  expect(await leftAfter(inTurn)).toBeLessThanOrEqual(3100);
});

test("a wait ends when the time of its request is over, and no other begins", async () => {
  await withWaitingTime(async () => {
    await expect(inTime(never)).rejects.toThrow(TimeUpError);
    let isAsked = false;
    await expect(inTime(async () => (isAsked = true))).rejects.toThrow(TimeUpError);
    expect(isAsked).toBe(false);
  }, 200);
});

test("a request that gave up has no time left, whatever it waited for meanwhile", async () => {
  await withWaitingTime(async () => {
    await inTime(async () => waitingTime()?.giveUp());
    expect(waitingTime()?.left).toBe(0);
    await expect(inTime(never)).rejects.toThrow(TimeUpError);
  });
});

test("a client and its time belong to the same request; what goes on without it has all the time", async () => {
  await withWaitingTime(async () => {
    const time = waitingTime();
    expect(forClient(new AbortController().signal, waitingTime)).toBe(time);
    await expect(inTime(never)).rejects.toThrow(TimeUpError);
    expect(await withoutClient(() => inTime(async () => "asked"))).toBe("asked");
    expect(await withWaitingTime(() => inTime(async () => "asked"))).toBe("asked");
  }, 100);
});
