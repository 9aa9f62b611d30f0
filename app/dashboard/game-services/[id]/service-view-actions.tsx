"use server";

import { findId } from "@/lib/http/ids";
import { ServiceView } from "./service-view";

/** The service as it is now, for a page that is open. A caller may send anything as its id, query and node. */
export async function loadService(id: unknown, query: unknown, nodeId: unknown): Promise<React.ReactNode> {
  return <ServiceView id={String(id)} query={Object(query)} nodeId={findId(String(nodeId ?? ""))} />;
}
