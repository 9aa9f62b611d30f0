import { expect, test } from "vitest";
import { levelOf } from "@/lib/servers/health-level";
import { rateHealth } from "@/lib/servers/health-score";
import { DEMO_SERVERS, FIRST_ACCOUNT } from "./data";
import { sampleAt } from "./machines";

/** A day without any event, which is the best that a machine can have. */
const NOTHING_HAPPENED = { coveragePct: 100, reboots: 0, oomKills: 0, failedUnits: 0, lastOomAt: null };

test("whenever the demo starts, its first customer has a server that needs attention", () => {
  const machines = DEMO_SERVERS.flatMap(({ owner, machine }) =>
    machine && owner === FIRST_ACCOUNT.email && !machine.hasStopped ? machine : [],
  );
  const parts = Array.from({ length: 11 }, (_, step) => step / 10);
  for (const busy of parts) {
    for (const filled of parts) {
      const levels = machines.map((machine) => {
        const sample = { ...sampleAt(machine, { busy, filled }), ts: 0 };
        const facts = { lastSeenAt: 0, cores: machine.facts.cores, sample, stability: NOTHING_HAPPENED };
        return levelOf(rateHealth(facts, 0).score);
      });
      expect(new Set(levels.map((level) => level === "healthy")).size, `${busy} ${filled}`).toBe(2);
    }
  }
});
