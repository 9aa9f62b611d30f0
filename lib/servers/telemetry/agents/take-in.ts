import { InvalidInputError, NotFoundError } from "@/lib/failures";
import { MINUTE } from "@/lib/format/time";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import type { ParsedReport } from "@/lib/servers/telemetry/report";
import { type AgentState, NO_STATE, takeIn } from "./instants";
import type { Reading, Readings } from "./readings";
import { sampleOfInstant } from "./sample";
import { type AgentProtocolName, findAgentState, replaceAgentState, type StoredState } from "./state";

/** A key belongs to one machine until it has been silent for this long: then another one may take its place. */
const HOST_HELD_FOR = 10 * MINUTE;

/** An attempt fails only when another request of the same key succeeds. */
const MAX_ATTEMPTS = 100;

type Facts = NonNullable<ParsedReport["facts"]>;

/** Where readings come from, and what the request tells besides. */
export type AgentReport = {
  serverId: number;
  keyId: number;
  ip: string | null;
  protocol: AgentProtocolName;
  /** What the agent calls its machine. */
  host: string;
  publicIp: string | undefined;
  arrivedAt: Date;
  /** In milliseconds: how far apart readings of one instant may be. */
  window: number;
  /** The facts of the machine, as far as the request and an instant tell them. */
  factsOf(readings: Readings): Facts | undefined;
};

/** What is left to do of a request; `stored` is the state that its part before left, if there was one. */
export type Taken = { rest: readonly Reading[]; stored: StoredState | null; hasCheckedIn: boolean };

/**
 * Takes in readings of an agent, in the order of their times, up to the first check-in that they complete. The check-in is
 * stored before the state, so that a request that fails in between can be sent again.
 * @throws InvalidInputError when the key already reports for another machine. @throws NotFoundError for a removed server or key.
 */
export async function takeInReadings(report: AgentReport, before: Taken): Promise<Taken> {
  const { keyId, protocol, host, arrivedAt } = report;
  let known = before.stored ?? (await findAgentState({ keyId, protocol }));
  let { hasCheckedIn } = before;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const state = stateOf(known, host, arrivedAt.getTime());
    const step = takeIn(state, before.rest, report.window);
    if (step.finished) {
      const { instant } = step.finished;
      const facts = report.factsOf(instant.readings);
      await checkIn(report, { facts, sample: sampleOfInstant(step.finished) }, new Date(instant.ts));
    } else if (!hasCheckedIn) {
      await checkIn(report, {}, arrivedAt);
    }
    hasCheckedIn = true;
    const next = { host, heardAt: arrivedAt.getTime(), version: known?.version ?? 0, state: step.state };
    const version = await replaceAgentState({ keyId, protocol }, next);
    if (version !== null) return { rest: step.rest, stored: { ...next, version }, hasCheckedIn };
    known = await findAgentState({ keyId, protocol });
    // Nobody wrote a state instead: the key was removed.
    if (!known) throw new NotFoundError();
  }
  throw new Error(`The state of key ${keyId} never stayed as it was between reading and writing.`);
}

/** The state to go on from. A machine that takes the place of a silent one begins anew. */
function stateOf(known: StoredState | null, host: string, now: number): AgentState {
  if (!known) return NO_STATE;
  if (known.host === host) return known.state;
  if (known.heardAt > now - HOST_HELD_FOR) {
    throw new InvalidInputError(
      `This key already reports for ${JSON.stringify(known.host)}. Give ${JSON.stringify(host)} a server and a key of its own.`,
    );
  }
  return NO_STATE;
}

async function checkIn(report: AgentReport, told: ParsedReport, sampledAt: Date): Promise<void> {
  const { serverId, keyId, ip, protocol, publicIp, arrivedAt } = report;
  // Named, so that an agent beside our daemon with the same key is noticed like a second daemon.
  const arrival = { sampledAt, arrivedAt, daemon: `door-${protocol}`, key: { id: keyId, ip } };
  await storeCheckIn(serverId, { ...told, publicIp }, arrival);
}
