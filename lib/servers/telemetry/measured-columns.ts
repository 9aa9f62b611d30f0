import type { Prisma } from "@/lib/database/client";
import type { Column } from "@/lib/database/tables";
import { eachMeasurement, type Measurement } from "./measurements";

type Fields = Prisma.TypeMap["model"]["TelemetrySample"]["payload"]["scalars"];

/** The fields of `TelemetrySample` that hold measurements. */
type MeasuredField = Exclude<keyof Fields, "serverId" | "ts" | "cores" | "arrivedAt">;

type Samples<Value> = Record<Measurement, Column<Value>>;

/**
 * The columns of all measurements, in the order of `MEASUREMENTS`. A measurement without a column does not compile at the
 * call. A column without a measurement does not compile here.
 */
export function measuredColumns<Value>(t: Samples<Value>): Samples<Value> {
  return eachMeasurement((name) => t[name]) satisfies Record<MeasuredField, Column<Value>>;
}
