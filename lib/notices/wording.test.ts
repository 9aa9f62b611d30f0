import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { NOTICE_KINDS } from "@/lib/notices/kinds";
import type { Told } from "@/lib/notices/message";
import { textOf } from "@/lib/notices/wording";

const NOW = Date.parse("2026-11-29T12:00:00Z");
const about = { now: NOW, zone: "UTC", lastUntil: null, isLate: false };

const told = (kind: string, over: Partial<Told> = {}): Told => ({
  ...{ subject: NOTICE_KINDS[kind]?.subject ?? "server", subjectId: 1, kind, name: "one" },
  ...{ from: NOW - 10 * MINUTE, to: null, isEnd: false, isThird: false, ...over },
});
const titleOf = (...all: Told[]) => textOf(all, about).title;

test("each kind has its own words for its beginning and, if lasting, its end", () => {
  const others = Object.entries(NOTICE_KINDS).filter(([, { daysAhead }]) => !daysAhead);
  const titles = others.flatMap(([kind, { lasts, words }]) => {
    const several = [told(kind), told(kind, { subjectId: 2 })];
    const begun = [titleOf(told(kind)), titleOf(...several)];
    expect(begun[0]).toBe(`one ${words.is} ${lasts ? "since" : "at"} 11:50`);
    expect(begun[1]).toMatch(/^2 (?:servers|game services|tokens) .+ (?:since|at) 11:50$/);
    if (!lasts) return begun;
    const to = NOW - MINUTE;
    const ended = [
      titleOf(told(kind, { to, isEnd: true })),
      titleOf(...several.map((one) => ({ ...one, to, isEnd: true }))),
    ];
    const over = [titleOf(told(kind, { to })), titleOf(...several.map((one) => ({ ...one, to })))];
    expect([...ended, ...over].every((title) => !/undefined|since/.test(title))).toBe(true);
    expect([begun[1], ended[1], over[1]].join()).not.toMatch(/\b(?:is|was|has|its)\b/);
    return [...begun, ...ended, ...over];
  });
  expect(new Set(titles).size).toBe(titles.length);
});

test("the end of a token is told once with its time, however late", () => {
  const late = (kind: string, days: number, over: Partial<Told> = {}) =>
    told(kind, { from: NOW + 2 * DAY - days * DAY, ...over });
  const both = [late("ends_in_14_days", 14), late("ends_in_3_days", 3)];
  expect(textOf(both, about).lines).toEqual(["one ends at 1 Dec, 12:00.", "Times are UTC."]);
  const other = late("ends_in_3_days", 3, { subjectId: 2, name: "two", from: NOW - HOUR });
  expect(textOf([...both, other], about)).toMatchObject({
    title: "2 tokens end soon",
    lines: ["2 tokens end soon: one (1 Dec, 12:00), two (2 Dec, 11:00).", "Times are UTC."],
  });
});

test("ongoing events come before ended and past ones, each in its own line", () => {
  const to = NOW - MINUTE;
  const many = Array.from({ length: 12 }, (_, n) => told("offline", { subjectId: n, name: `web-${n}` }));
  const { title, lines, events, link } = textOf(
    [told("critical", { to, name: "db" }), told("disk_full", { to, isEnd: true, name: "db" }), ...many],
    about,
  );
  expect(title).toBe("12 servers are offline since 11:50, and 2 more");
  expect(lines).toEqual([
    `12 servers are offline since 11:50: ${many
      .slice(0, 10)
      .map(({ name }) => name)
      .join(", ")} and 2 more.`,
    "db has room on its disk again since 11:59. It began at 11:50.",
    "db was critical from 11:50 to 11:59.",
    "Times are UTC.",
  ]);
  expect([events.length, link]).toEqual([14, "/dashboard"]);
});
