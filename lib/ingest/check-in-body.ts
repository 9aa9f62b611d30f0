import { z } from "zod";
import { ApiError } from "@/lib/api/api-error";
import { HOUR, MINUTE } from "@/lib/format/time";
import { reportedFields, sampleOf } from "@/lib/servers/telemetry/measurements";
import { cores, factText, type ParsedReport, publicIp } from "@/lib/servers/telemetry/report";
import { describeIssue } from "./body-text";
import { parseBoundedJson } from "./bounded-json";

/** In milliseconds: how old a sample may be when it is delivered late. */
export const MAX_AGE = 2 * HOUR;
/** How far the clock of a machine may be ahead of this one, in milliseconds. */
export const MAX_AHEAD = 5 * MINUTE;

const MAX_FACTS = 32;
/** Facts about the machine, flat. */
const knownFacts = z
  .object({ os: factText, kernel: factText, cores })
  .catchall(z.union([factText, z.number(), z.boolean(), z.null()], { error: "must be a text, a number or a boolean" }))
  .refine((all) => Object.keys(all).every((name) => /^[a-z][a-z0-9_]{0,31}$/.test(name)), {
    error: "has a name that is not made of up to 32 small letters, digits and underscores",
  });

/** Counted before each is looked at. */
const facts = z
  .unknown()
  .refine((all) => Object.keys(Object(all)).length <= MAX_FACTS, `has more than ${MAX_FACTS} entries`)
  .pipe(knownFacts);

const body = z.strictObject({
  sampled_at: z.int().optional(),
  daemon: z
    .string()
    .regex(/^[\w-]{8,64}$/, "must be 8 to 64 letters, digits, hyphens or underscores")
    .optional(),
  facts: facts.optional(),
  public_ip: publicIp.optional(),
  ...reportedFields,
});

type DeliveredCheckIn = { report: ParsedReport; sampledAt: Date; daemon?: string };

/**
 * Reads what a daemon sent at `arrivedAt`. Without `sampled_at` the sample is of that moment.
 * @throws ApiError 400 naming the first field that is wrong.
 */
export function parseCheckInBody(bytes: Buffer, arrivedAt: Date): DeliveredCheckIn {
  const parsed = body.safeParse(parseBoundedJson(bytes));
  if (!parsed.success) throw new ApiError(400, describeIssue(parsed.error.issues[0], "a check-in"));
  const { sampled_at = arrivedAt.getTime(), daemon, facts, public_ip, ...measured } = parsed.data;
  requireRecent(sampled_at, arrivedAt.getTime());
  return {
    report: { facts, publicIp: public_ip, sample: sampleOf(measured) },
    sampledAt: new Date(sampled_at),
    ...(daemon !== undefined && { daemon }),
  };
}

function requireRecent(sampledAt: number, now: number): void {
  if (sampledAt > now + MAX_AHEAD) {
    throw new ApiError(400, `sampled_at: is ${aheadOfClock(sampledAt - now)}`);
  }
  if (sampledAt < now - MAX_AGE) {
    throw new ApiError(
      400,
      `sampled_at: is ${minutes(now - sampledAt)} old, and ${MAX_AGE / HOUR} hours are the most.`,
    );
  }
}

/** The end of the sentence that refuses a sample whose time is `ms` milliseconds ahead. */
export function aheadOfClock(ms: number): string {
  return `${minutes(ms)} ahead of the console's clock, and ${minutes(MAX_AHEAD)} are the most. Check this machine's clock.`;
}

function minutes(ms: number): string {
  return `${Math.round(ms / MINUTE)} minutes`;
}
