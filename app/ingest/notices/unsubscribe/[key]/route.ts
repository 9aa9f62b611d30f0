import { reportEndpoint } from "@/lib/ingest/endpoint";
import { deliverUnsubscription } from "@/lib/ingest/unsubscription";
import { UNSUBSCRIBE } from "@/lib/page-paths";

export const { POST, HEAD, PUT, PATCH, DELETE, OPTIONS } = reportEndpoint(
  "/ingest/notices/unsubscribe/:key",
  deliverUnsubscription,
);

/** Mail programs that know no POST open the address, which changes nothing: the page that it leads to has a button. */
export async function GET(_: Request, { params }: { params: Promise<{ key: string }> }): Promise<Response> {
  const { key } = await params;
  const headers = { Location: `${UNSUBSCRIBE}?key=${encodeURIComponent(key)}`, "Cache-Control": "no-store" };
  return new Response(null, { status: 303, headers });
}
