import { readiness } from "@/lib/operations/readiness";

export const dynamic = "force-dynamic";

/**
 * The process can do its work: the database answers and takes writes, and nobody has asked the process to end. 503 takes
 * it out of a load balancer until it does, and before it ends.
 */
export async function GET(): Promise<Response> {
  const headers = { "Cache-Control": "no-store" };
  const status = await readiness();
  return Response.json({ status }, { status: status === "ok" ? 200 : 503, headers });
}
