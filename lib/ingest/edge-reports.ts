import { databaseNow } from "@/lib/database/clock";
import { MINUTE } from "@/lib/format/time";
import { OverLineError } from "@/lib/game-services/edges/line";
import { storeReport } from "@/lib/game-services/edges/reports";
import { fair } from "@/lib/process/fair";
import type { Policy } from "@/lib/rate-limit";
import { identifyNode, noteHeard } from "./edge-nodes";
import { overLine, parseEdgeReport } from "./edge-report-body";
import { type Answer, json } from "./endpoint";
import { quotaOf } from "./quota";
import { requireJson } from "./read-body";
import { type BodyRules, type Sender, withBody } from "./with-body";

/** A report with as many entries as it may have, each of them short. */
const MAX_REPORT_BYTES = 256 * 1024;

/** Two a minute are usual; a node that kept two hours of them while the console was away delivers all in a minute. */
const REPORTS: Policy = { name: "edge-reports", limit: 300, windowMs: MINUTE };

/** They are the operator's, so they share one turn, however many of them report. */
const ALL_NODES = "edge nodes";

const RULES: BodyRules = {
  requireType: requireJson,
  maxBytes: () => MAX_REPORT_BYTES,
};

/**
 * Receives one report of an edge node: 401, then as `withBody`. `stored` counts the intervals that are new. `dropped`, if
 * present, counts those of removed services. @throws ApiError with what the node is told, BusyError.
 */
export async function deliverEdgeReport(request: Request): Promise<Answer> {
  const node = await identifyNode(request);
  const quota = quotaOf(REPORTS, String(node.id));
  quota.refuseUsedUp();
  await noteHeard(node, request);
  const sender: Sender = { asker: ALL_NODES, quota };
  const read = (bytes: Buffer) => {
    const arrivedAt = databaseNow();
    return { arrivedAt, report: parseEdgeReport(bytes, arrivedAt) };
  };
  return withBody(request, sender, RULES, read, async ({ report, arrivedAt }) => {
    const { stored, dropped } = await fair("report", ALL_NODES, async () => {
      await quota.count();
      return storeReport(node.id, report, arrivedAt);
    }).catch((error: unknown) => {
      throw error instanceof OverLineError ? overLine(error.excess, report.intervals) : error;
    });
    return json({ data: { stored, ...(dropped > 0 && { dropped }) } });
  });
}
