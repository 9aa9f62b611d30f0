import { expect, test } from "vitest";
import { HOUR, MINUTE, SECOND } from "@/lib/format/time";
import { SetAside } from "./set-aside";

test("an account is left out for ten seconds, a minute, then ten minutes at a time, until it succeeds or an hour has passed", () => {
  const aside = new SetAside();
  let now = 0;
  for (const wait of [10 * SECOND, MINUTE, 10 * MINUTE, 10 * MINUTE]) {
    expect(aside.add(7, now)).toBe(wait);
    expect([aside.accounts(now), aside.accounts(now + wait - 1), aside.accounts(now + wait)]).toEqual([[7], [7], []]);
    now += wait;
  }
  aside.clear(7);
  expect(aside.add(7, now)).toBe(10 * SECOND);
  now += 10 * SECOND + HOUR;
  aside.accounts(now);
  expect(aside.add(7, now)).toBe(MINUTE);
  now += MINUTE + HOUR + 1;
  aside.accounts(now);
  expect(aside.add(7, now)).toBe(10 * SECOND);
});
