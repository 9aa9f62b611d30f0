import { PURPOSES, payerOfNode, withPlace } from "@/lib/admission/shares";
import { storeReport } from "@/lib/game-services/edges/reports";
import type { Policy } from "@/lib/rate-limit";
import { MINUTE } from "@/lib/time";
import { readJsonText } from "./bounded-body";
import { requireNode } from "./edge-nodes";
import { parseEdgeReport } from "./edge-report-body";

/** A report with as many entries as it may have, each of them short. */
export const MAX_REPORT_BYTES = 256 * 1024;

/** Two a minute are usual; a node that kept two hours of them while the console was away delivers all in a minute. */
const REPORTS: Policy = { name: "edge-reports", limit: 300, windowMs: MINUTE };

/**
 * Receives one report of an edge node. Checks in this order: 401, 429, 415, 413, 408, 400. `stored` counts the
 * intervals that are new. `dropped`, if present, counts those of removed services.
 * @throws ApiError with what the node is told, BusyError.
 */
export async function deliverEdgeReport(request: Request): Promise<{ data: { stored: number; dropped?: number } }> {
  const node = await requireNode(request, REPORTS);
  const text = await readJsonText(request, MAX_REPORT_BYTES);
  const arrivedAt = new Date();
  const report = parseEdgeReport(text, arrivedAt);
  const { stored, dropped } = await withPlace(PURPOSES.edgeReport, payerOfNode(node.id), "", () =>
    storeReport(node.id, report, arrivedAt),
  );
  return { data: { stored, ...(dropped > 0 && { dropped }) } };
}
