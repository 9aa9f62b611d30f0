"use server";

import { parseTrafficRange } from "@/lib/game-services/traffic";
import { findId } from "@/lib/http/ids";
import { ServiceView } from "./service-view";

/** The service as it is now, for a page that is open. A caller may send anything as its id, range and node. */
export async function loadService(id: unknown, range: unknown, nodeId: unknown): Promise<React.ReactNode> {
  return <ServiceView id={String(id)} range={parseTrafficRange(range)} nodeId={findId(String(nodeId ?? ""))} />;
}
