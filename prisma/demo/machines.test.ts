import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { levelOf } from "@/lib/servers/health-level";
import { rateHealth } from "@/lib/servers/health-score";
import { MACHINES, reportAt } from "./machines";

/** A day without any event, which is the best that a machine can have. */
const NOTHING_HAPPENED = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt: null };

test("whenever somebody starts the demo, the first customer has a server that needs attention, and one that does not", () => {
  const [first] = MACHINES;
  const running = MACHINES.filter(({ owner, daemon }) => owner === first?.owner && daemon.state === "running");
  const midnight = Date.UTC(2027, 0, 1);
  for (let at = midnight; at < midnight + 2 * DAY; at += HOUR / 6) {
    const levels = running.map((machine) => {
      const { sample } = reportAt(machine, { at, previousAt: at - MINUTE, createdAt: at - 90 * DAY });
      const facts = { lastSeenAt: at, cores: machine.daemon.facts.cores, sample: { ...sample, ts: at } };
      return levelOf(rateHealth({ ...facts, stability: NOTHING_HAPPENED }, at).score);
    });
    expect(new Set(levels.map((level) => level === "healthy")).size, new Date(at).toISOString()).toBe(2);
  }
});
