import { isDraining } from "@/lib/process/draining.mjs";
import { pingDatabase } from "@/lib/readiness";

export const dynamic = "force-dynamic";

/**
 * The process can do its work: the database answers and takes writes, and nobody has asked the process to end. 503 takes
 * it out of a load balancer until it does, and before it ends.
 */
export async function GET(): Promise<Response> {
  const headers = { "Cache-Control": "no-store" };
  if (isDraining()) return Response.json({ status: "ending" }, { status: 503, headers });
  try {
    const { isReadOnly } = await pingDatabase();
    if (isReadOnly) return Response.json({ status: "read-only" }, { status: 503, headers });
    return Response.json({ status: "ok" }, { headers });
  } catch {
    return Response.json({ status: "unavailable" }, { status: 503, headers });
  }
}
