import { expect, test } from "vitest";
import { GameServiceStatus } from "@/lib/generated/prisma/enums";
import { type NodeAnswer, nextStatus, type StatusFacts, wishOf } from "./status";

const STATUSES = Object.values(GameServiceStatus);
const VERSION = 7;

const answer = (node: string, version: number | null, error: string | null = null, servingVersion = null) => {
  return { node, version, error, servingVersion } satisfies NodeAnswer;
};
const done = (node: string) => answer(node, VERSION);
const late = (node: string) => answer(node, VERSION - 1);
const lateError = (node: string) => answer(node, VERSION - 1, "old");
const silent = (node: string) => answer(node, null);
const failed = (node: string, error = "no route") => answer(node, VERSION, error);

const facts = (changed: Partial<StatusFacts>): StatusFacts => ({
  wish: "on",
  status: "configuring",
  error: null,
  configVersion: VERSION,
  wasFetched: true,
  problem: null,
  answers: [],
  ...changed,
});
const next = (changed: Partial<StatusFacts>) => nextStatus(facts(changed));
const status = (to: GameServiceStatus, error: string | null = null) => ({ kind: "status", status: to, error });

test("the rules in words: the first that holds", () => {
  // "gone" wins over every other rule. The service is removed once every live node acknowledged it.
  expect(next({ wish: "gone", problem: "taken", answers: [done("a"), late("b")] })).toEqual(status("deleting"));
  expect(next({ wish: "gone", answers: [done("a"), done("b")] })).toEqual({ kind: "remove" });
  expect(next({ wish: "gone", answers: [failed("a")] })).toEqual(status("deleting"));
  // Without live nodes, only services that were never fetched are deleted.
  expect(next({ wish: "gone", answers: [] })).toEqual(status("deleting"));
  expect(next({ wish: "gone", answers: [], wasFetched: false })).toEqual({ kind: "remove" });
  // A problem shows even before a node fetched the service.
  expect(next({ problem: "taken", wasFetched: false })).toEqual(status("failed", "taken"));
  expect(next({ wish: null, status: "active", problem: "taken" })).toEqual(status("failed", "taken"));
  expect(next({ wasFetched: false, answers: [silent("a")] })).toEqual(status("pending_config"));
  // A node that failed at an older version or never said anything lacks this one.
  expect(next({ answers: [lateError("a")] })).toEqual(status("configuring"));
  expect(next({ answers: [done("a"), silent("b")] })).toEqual(status("configuring"));
  // An error of this version wins over a node that lacks it, the first node's is named. Off and on come last.
  expect(next({ answers: [failed("a", "x"), failed("b", "y")] })).toEqual(status("failed", "a: x"));
  expect(next({ answers: [late("a"), failed("b")] })).toEqual(status("failed", "b: no route"));
  expect(next({ wish: "off", answers: [late("a")] })).toEqual(status("configuring"));
  expect(next({ wish: "off", answers: [done("a")] })).toEqual(status("disabled"));
  expect(next({ wish: "on", status: "disabled", answers: [done("a")] })).toEqual(status("active"));
  // Without live nodes the status and its error stay.
  expect(next({ status: "failed", error: "a: x", answers: [] })).toEqual(status("failed", "a: x"));
});

test("a service of another writer changes only by acknowledgement and is never removed", () => {
  for (const from of STATUSES) {
    for (const answers of [[], [silent("a")], [silent("a"), silent("b")]]) {
      const before = facts({ wish: null, status: from, error: "theirs", answers });
      const kept = from === "deleting" ? status("deleting") : status(from, "theirs");
      expect(nextStatus(before), from).toEqual(kept);
    }
  }
  expect(next({ wish: null, status: "disabled", answers: [done("a")] })).toEqual(status("disabled"));
  expect(next({ wish: null, status: "pending_config", answers: [done("a")] })).toEqual(status("active"));
  expect(next({ wish: null, status: "deleting", answers: [done("a")] })).toEqual(status("deleting"));
});

test("what is wanted of a service without a wish is read from its status", () => {
  expect(STATUSES.map((from) => [from, wishOf(null, from)])).toEqual([
    ["pending_config", "on"],
    ["configuring", "on"],
    ["active", "on"],
    ["failed", "on"],
    ["disabled", "off"],
    ["deleting", "gone"],
  ]);
  expect(STATUSES.map((from) => wishOf("off", from))).toEqual(STATUSES.map(() => "off"));
});

test("the error of a version that is not served says what players still reach", () => {
  const serving = (servingVersion: number | null) =>
    next({ answers: [{ ...failed("a"), servingVersion }, silent("b")] });
  expect(serving(null)).toEqual(status("failed", "a: no route"));
  expect(serving(VERSION - 2)).toEqual(status("failed", `a: no route Players still reach version ${VERSION - 2}.`));
  expect(serving(VERSION)).toEqual(status("failed", "a: no route Players still reach its last ip."));
  const problem = "Another service has this public hostname.";
  expect(next({ problem, answers: [silent("a"), { ...failed("b"), servingVersion: 3 }] })).toEqual(
    status("failed", `${problem} Players still reach version 3.`),
  );
});
