import { pingDatabase } from "@/lib/readiness";

export const dynamic = "force-dynamic";

/** The process can do its work: the database answers. 503 takes it out of a load balancer until it does. */
export async function GET(): Promise<Response> {
  const headers = { "Cache-Control": "no-store" };
  try {
    await pingDatabase();
    return Response.json({ status: "ok" }, { headers });
  } catch {
    return Response.json({ status: "unavailable" }, { status: 503, headers });
  }
}
