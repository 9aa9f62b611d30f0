import { ApiError } from "@/lib/api/api-error";
import { databaseNow } from "@/lib/database/clock";
import { NotFoundError } from "@/lib/failures";
import { UNPRINTABLE } from "@/lib/format/names";
import { HOUR } from "@/lib/format/time";
import { keyCredentials } from "@/lib/http/bearer";
import { clientIp } from "@/lib/http/client-ip";
import { isPublicIp } from "@/lib/http/public-ip";
import { aheadOfClock, MAX_AGE, MAX_AHEAD } from "@/lib/ingest/check-in-body";
import { invalidServerKey, note, notingRefusal, requireReporter, senderOf } from "@/lib/ingest/reporter";
import { type BodyRules, type Sender, withBody } from "@/lib/ingest/with-body";
import { env } from "@/lib/process/env";
import { fair } from "@/lib/process/fair";
import type { Reading, Readings } from "@/lib/servers/telemetry/agents/readings";
import type { AgentProtocolName } from "@/lib/servers/telemetry/agents/state";
import { type AgentReport, type Taken, takeInReadings } from "@/lib/servers/telemetry/agents/take-in";
import { maxBytesOf, type Packed, requirePacking, unpack } from "./packed-body";

/** A parsed body. Its bad entries are reported in `problems`; the rest is kept. */
export type ParsedBody = {
  hosts: ReadonlySet<string>;
  readings: readonly Reading[];
  problems: readonly string[];
  factsOf?(readings: Readings): ReturnType<AgentReport["factsOf"]>;
};

/** A protocol of stock agents. `window`: how far apart the readings of one instant may be, in milliseconds. */
export type AgentProtocol<Body extends ParsedBody> = {
  name: AgentProtocolName;
  window: number;
  packed: Packed;
  /** What it is that bodies may tell. */
  known: string;
  /** Reads what was unpacked. @throws ApiError 413, 400 */
  read(bytes: Buffer, request: Request, arrivedAt: Date): Body;
  /** Whether the agent of this host sends from the machine itself, so that the sender's ip is the machine's. */
  isOnMachine?(host: string): boolean;
};

/** The longest name that a machine may have. */
const MAX_HOST_LENGTH = 256;

/**
 * Receives readings of a stock agent: 401, then as `withBody`. Each check-in that the readings complete counts like one of
 * a daemon and is stored in the turn of the account. Readings that are too old are dropped. `problems` has those of the
 * body, and one of readings from the future. @throws ApiError, BusyError, InvalidInputError.
 */
export async function deliverReadings<Body extends ParsedBody>(
  request: Request,
  protocol: AgentProtocol<Body>,
): Promise<{ body: Body; problems: string[]; ahead: number }> {
  const ip = clientIp(request.headers, env.trustedProxies);
  const how = 'Send "Authorization: Bearer <server key>", or the key as the password of Basic.';
  const reporter = await requireReporter(keyCredentials(request.headers), how);
  const sender = senderOf(reporter);
  const rules: BodyRules = {
    requireType: (headers) => requirePacking(headers, protocol.packed),
    maxBytes: maxBytesOf,
    hint: protocol.packed.hint,
  };
  const read = (bytes: Buffer) => {
    const unpacked = unpack(bytes, request.headers, protocol.packed.hint);
    const arrivedAt = databaseNow();
    const body = protocol.read(unpacked, request, arrivedAt);
    return { body, host: oneHostOf(body), arrivedAt, ...inTime(body, arrivedAt.getTime()) };
  };
  const store = async ({ body, host, arrivedAt, readings, problems, ahead }: ReturnType<typeof read>) => {
    if (host === null || readings.length === 0) {
      await sender.quota.count();
      const isOld = body.readings.length > 0;
      const empty = isOld
        ? `Its values are more than ${MAX_AGE / HOUR} hours old.`
        : `It holds nothing of ${protocol.known}.`;
      await note(reporter, problems.length > 0 ? { refused: problems.join(" ") } : { empty });
      return { body, problems, ahead };
    }
    const isOwnIp = ip !== null && isPublicIp(ip) && protocol.isOnMachine?.(host) !== false;
    const report: AgentReport = {
      serverId: reporter.serverId,
      keyId: reporter.keyId,
      ip,
      protocol: protocol.name,
      host,
      publicIp: isOwnIp ? ip : undefined,
      arrivedAt,
      window: protocol.window,
      factsOf: (found) => body.factsOf?.(found),
    };
    await storeReadings(report, readings, sender);
    return { body, problems, ahead };
  };
  return notingRefusal(reporter, () => withBody(request, sender, rules, read, store));
}

/** Stores one check-in after the other, each counted, and each in the turn of the account. */
async function storeReadings(report: AgentReport, readings: readonly Reading[], { asker, quota }: Sender) {
  try {
    let taken: Taken = { rest: readings, stored: null, hasCheckedIn: false };
    while (taken.rest.length > 0) {
      const before: Taken = taken;
      taken = await fair("report", asker, async () => {
        await quota.count();
        return takeInReadings(report, before);
      });
    }
  } catch (error) {
    // The server was removed after its key was checked.
    if (error instanceof NotFoundError) throw invalidServerKey();
    throw error;
  }
}

/** The one machine that the body names; null when it names none. @throws ApiError 400 */
function oneHostOf({ hosts }: ParsedBody): string | null {
  const [first, second] = hosts;
  if (first === undefined) return null;
  for (const host of hosts) {
    if (host.length > MAX_HOST_LENGTH || UNPRINTABLE.test(host)) {
      throw new ApiError(
        400,
        `The name of the machine is longer than ${MAX_HOST_LENGTH} characters, or cannot be shown.`,
      );
    }
  }
  if (second === undefined) return first;
  throw new ApiError(
    400,
    `A key is for one machine, and this tells of ${JSON.stringify(first)} and ${JSON.stringify(second)}. Give each a server and a key of its own.`,
  );
}

/** The readings that are neither too old nor from the future, in the order of their times. */
function inTime({ readings, problems }: ParsedBody, now: number) {
  const inTime = readings.filter(({ ts }) => ts >= now - MAX_AGE && ts <= now + MAX_AHEAD);
  const furthest = readings.reduce((most, { ts }) => Math.max(most, ts), now);
  const ahead = readings.filter(({ ts }) => ts > now + MAX_AHEAD).length;
  const problem = `Values are ${aheadOfClock(furthest - now)}`;
  return {
    readings: inTime.sort((a, b) => a.ts - b.ts),
    problems: ahead > 0 ? [...problems, problem] : [...problems],
    ahead,
  };
}
