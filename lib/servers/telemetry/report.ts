import { z } from "zod";
import { InvalidInputError } from "@/lib/failures";
import { UNPRINTABLE } from "@/lib/format/names";
import {
  eachMeasurement,
  type MEASUREMENTS,
  type Measurement,
  type Sample,
  UNITS,
} from "@/lib/servers/telemetry/measurements";

// What a daemon reports at a check-in, as code passes it on. Its form on the wire is lib/ingest/check-in-body.ts.

export const cores = z.int().min(1).max(65_536);

export const factText = z
  .string()
  .max(256)
  .refine((text) => !UNPRINTABLE.test(text), "holds control or text-direction characters");

export const publicIp = z.union([z.ipv4(), z.ipv6()], { error: "must be an IPv4 or IPv6 address" }).nullable();

type Ranges = { [Name in Measurement]: (typeof UNITS)[(typeof MEASUREMENTS)[Name]["unit"]]["range"] };

const report = z.strictObject({
  /** Facts about the machine; they replace the ones reported before. */
  facts: z.looseObject({ os: z.string(), kernel: z.string(), cores }).optional(),
  publicIp: publicIp.optional(),
  /** What the daemon could not measure it leaves out or sends as null. */
  sample: z.strictObject(eachMeasurement((_, { unit }) => UNITS[unit].range) as Ranges).optional(),
});

export type Report = z.input<typeof report>;
export type ParsedReport = Omit<z.output<typeof report>, "sample"> & { sample?: Sample | undefined };

/** Checks a report. @throws InvalidInputError naming the first wrong value. */
export function parseReport(value: Report): ParsedReport {
  const parsed = report.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidInputError(`Invalid check-in: ${issue?.path.join(".")}: ${issue?.message}`);
}
