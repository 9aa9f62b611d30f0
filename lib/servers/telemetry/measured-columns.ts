import type { Prisma } from "@/lib/database/client";
import type { Column } from "@/lib/database/tables";
import {
  eachMeasurement,
  MEASUREMENTS,
  type Measurement,
  measurementNames,
  type PublishedMeasurement,
  type ScoredMeasurement,
} from "./measurements";

type Fields = Prisma.TypeMap["model"]["TelemetrySample"]["payload"]["scalars"];

/** The fields of `TelemetrySample` that hold measurements. */
type MeasuredField = Exclude<keyof Fields, "serverId" | "ts">;

type Samples<Value> = Record<Measurement, Column<Value>>;

/**
 * The columns of all measurements, in the order of their table. A row without a column does not compile where this is
 * called, and a column without a row does not compile here.
 */
export function measuredColumns<Value>(t: Samples<Value>): Samples<Value> {
  return eachMeasurement((name) => t[name]) satisfies Record<MeasuredField, Column<Value>>;
}

/** The measurements that lists and details of servers need. */
export type ReadMeasurement = ScoredMeasurement | PublishedMeasurement;

const READ = measurementNames.filter((name): name is ReadMeasurement => {
  const { isScored, published } = MEASUREMENTS[name];
  return isScored || published !== null;
});

/** The columns of the measurements that a score depends on or that the API tells of. */
export function readColumns<Value>(t: Samples<Value>): Record<ReadMeasurement, Column<Value>> {
  return Object.fromEntries(READ.map((name) => [name, t[name]])) as Record<ReadMeasurement, Column<Value>>;
}
