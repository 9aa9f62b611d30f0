import { expect, test } from "vitest";
import { quietUntil } from "./quiet-hours";

const at = (text: string) => Date.parse(text);
/** When the quiet hours end that an instant lies in, as text; null: in none. */
function ends(from: string, to: string, zone: string | null, instant: string): string | null {
  const minutesOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
  const end = quietUntil({ quietFrom: minutesOf(from), quietTo: minutesOf(to), quietZone: zone }, at(instant));
  return end === null ? null : new Date(end).toISOString().slice(0, 16);
}

test("quiet hours within a day or over midnight last from first to last minute", () => {
  const night = (instant: string) => ends("22:00", "07:00", "UTC", instant);
  expect(night("2026-11-23T21:59:59Z")).toBeNull();
  expect(night("2026-11-23T22:00:00Z")).toBe("2026-11-24T07:00");
  expect(night("2026-11-24T06:59:59Z")).toBe("2026-11-24T07:00");
  expect(night("2026-11-24T07:00:00Z")).toBeNull();
  const noon = (instant: string) => ends("12:00", "13:30", "UTC", instant);
  expect(noon("2026-11-23T11:59:59Z")).toBeNull();
  expect(noon("2026-11-23T12:00:00Z")).toBe("2026-11-23T13:30");
  expect(noon("2026-11-23T13:30:00Z")).toBeNull();
});

test("quiet hours follow their zone, and an unknown zone means UTC", () => {
  expect(ends("22:00", "07:00", "America/New_York", "2026-01-15T02:59:00Z")).toBeNull();
  expect(ends("22:00", "07:00", "America/New_York", "2026-01-15T03:00:00Z")).toBe("2026-01-15T12:00");
  expect(ends("22:00", "07:00", "Asia/Kathmandu", "2026-01-15T16:15:00Z")).toBe("2026-01-16T01:15");
  expect(ends("22:00", "07:00", "Atlantis/City", "2026-01-15T22:00:00Z")).toBe("2026-01-16T07:00");
  expect(ends("22:00", "07:00", null, "2026-01-15T22:00:00Z")).toBe("2026-01-16T07:00");
});

test("quiet hours end by the clock, even across a change of summer time", () => {
  const berlin = (from: string, to: string, instant: string) => ends(from, to, "Europe/Berlin", instant);
  // On 29 March two o'clock is three; on 25 October three is two again.
  expect(berlin("22:00", "07:00", "2026-03-28T22:00:00Z")).toBe("2026-03-29T05:00");
  // An end that the clocks skip is what they show an hour later; what is held comes at most so much later.
  expect(berlin("22:00", "02:30", "2026-03-28T22:00:00Z")).toBe("2026-03-29T01:30");
  expect(berlin("22:00", "02:30", "2026-03-29T01:00:00Z")).toBeNull();
  expect(berlin("22:00", "07:00", "2026-10-24T21:00:00Z")).toBe("2026-10-25T06:00");
  expect(berlin("22:00", "02:30", "2026-10-24T21:00:00Z")).toBe("2026-10-25T00:30");
  // Its end was shown before already: what is held is looked at once more in a minute.
  expect(berlin("22:00", "02:30", "2026-10-25T01:10:00Z")).toBe("2026-10-25T01:11");
});

test("without both times there are no quiet hours", () => {
  for (const [quietFrom, quietTo] of [
    [null, null],
    [0, null],
    [null, 0],
    [60, 60],
  ] as const) {
    expect(quietUntil({ quietFrom, quietTo, quietZone: "UTC" }, at("2026-11-23T00:30:00Z"))).toBeNull();
  }
});
