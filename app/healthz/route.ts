export const dynamic = "force-dynamic";

/** The process answers. Nothing else is asked, so a broken database does not get healthy processes restarted. */
export function GET(): Response {
  return Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } });
}
