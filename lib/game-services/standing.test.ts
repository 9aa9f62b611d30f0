import { expect, test } from "vitest";
import { describeStanding, describeStandings, type NodeWord, standingOf } from "./standing";

const word = (version: number | null, error: string | null = null, servingVersion: number | null = null): NodeWord => {
  return { version, error, servingVersion };
};

test("a node's counted standing and its text agree about the newest version", () => {
  const rows: [NodeWord, string, string][] = [
    [word(null), "waiting", "Not fetched yet"],
    [word(5), "current", "Serving version 5"],
    [word(5, null, 5), "current", "Serving version 5"],
    [word(4), "behind", "Has version 4; version 5 not fetched yet"],
    [word(4, "no route", 3), "behind", "Serving version 3; version 5 not fetched yet"],
    [word(4, "no route"), "behind", "Has version 4; version 5 not fetched yet"],
    [word(5, "no route"), "failed", "Cannot serve version 5"],
    [word(5, "no route", 4), "failed", "Cannot serve version 5; serving version 4"],
    [word(5, "private ip", 5), "failed", "Cannot serve version 5; serving its last ip"],
  ];
  for (const [node, standing, text] of rows) {
    const newest = { configVersion: 5, isWithheld: false };
    expect([standingOf(node, newest), describeStanding(node, newest, true)]).toEqual([standing, text]);
  }
  expect(describeStanding(word(5), { configVersion: 5, isWithheld: false }, false)).toBe(
    "Lets nobody through, as version 5 says",
  );
  const withheld = { configVersion: 5, isWithheld: true };
  expect(describeStanding(word(null), withheld, true)).toBe("Version 5 is not handed out");
  expect(describeStanding(word(4, null, 4), withheld, true)).toBe("Version 5 is not handed out; serving version 4");
  expect(describeStanding(word(5, "taken", 4), withheld, true)).toBe("Cannot serve version 5; serving version 4");
  expect(describeStandings({ failed: 1, withheld: 0, waiting: 0, behind: 0, current: 1200 })).toBe(
    "1 cannot serve the newest version, 1,200 at the newest version",
  );
  expect(describeStandings({ failed: 0, withheld: 0, waiting: 0, behind: 0, current: 0 })).toBe("None");
});
