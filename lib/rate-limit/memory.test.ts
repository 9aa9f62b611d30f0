import { expect, test } from "vitest";
import { randomAt } from "@/e2e/support/random";
import { MemoryLog } from "./memory";

const MINUTE = 60_000;
const newLog = () => new MemoryLog({ name: "test", limit: 120, windowMs: MINUTE });

let drawn = 0;
const random = () => randomAt(drawn++);

test("no stretch of 60 seconds holds more than 120 accepted requests", () => {
  const log = newLog();
  const accepted: number[] = [];
  let now = 0;
  for (let i = 0; i < 20_000; i++) {
    now += random() < 0.01 ? random() * MINUTE : random() * 300;
    if (log.take("key", now).accepted) accepted.push(now);
  }
  for (let i = 120; i < accepted.length; i++) {
    expect((accepted[i] ?? 0) - (accepted[i - 120] ?? 0)).toBeGreaterThanOrEqual(MINUTE);
  }
  expect(accepted.length).toBeGreaterThan(1000);
});

test("the announced wait is always true and never longer than needed", () => {
  const log = newLog();
  let now = 0;
  let refusals = 0;
  for (let i = 0; i < 20_000; i++) {
    now += Math.floor(random() * 900);
    const count = 1 + Math.floor(random() * 3);
    const decision = log.take("key", now, count);
    if (decision.accepted) continue;
    refusals++;
    expect(log.peek("key", now + decision.waitMs, count).accepted).toBe(true);
    expect(log.peek("key", now + decision.waitMs - 1, count).accepted).toBe(false);
  }
  expect(refusals).toBeGreaterThan(100);
});

test("silent keys are forgotten, so a million tokens do not fill the memory", () => {
  const log = newLog();
  for (let i = 0; i < 100_000; i++) log.take(`key-${i}`, i * 100);
  expect(log.size).toBeLessThan(3000);
});

test("every decision equals a full recount of accepted times, over random steps", () => {
  const log = newLog();
  let times: number[] = [];
  let now = 0;
  for (let i = 0; i < 20_000; i++) {
    now += random() < 0.02 ? random() * MINUTE : random() * 400;
    times = times.filter((time) => now - time < MINUTE);
    const count = 1 + Math.floor(random() * 3);
    const isAccepted = times.length + count <= 120;
    const last = times[isAccepted ? 0 : times.length + count - 121];
    const waitMs = last === undefined ? 0 : Math.ceil(MINUTE - (now - last));
    const remaining = 120 - times.length;
    const decision = { accepted: isAccepted, limit: 120, remaining, waitMs };
    expect(log.peek("key", now, count)).toEqual(decision);
    const taken = log.take("key", now, count);
    if (isAccepted) times.push(...Array(count).fill(now));
    const told = { ...decision, remaining: 120 - times.length, waitMs: Math.ceil(MINUTE - (now - (times[0] ?? 0))) };
    expect(taken, `step ${i}`).toEqual(isAccepted ? told : decision);
  }
});
