import { redirect } from "next/navigation";
import { Live } from "@/app/ui/live";
import { findId } from "@/lib/http/ids";
import { ServiceOutcome } from "../outcome";
import { serviceMetadata, visibleService } from "./own-service";
import { ServiceView } from "./service-view";
import { loadService } from "./service-view-actions";
import { trafficPath } from "./traffic";
import { trafficTime } from "./traffic-time";

export const generateMetadata = serviceMetadata((name) => name);

export default async function Page({ params, searchParams }: PageProps<"/dashboard/game-services/[id]">) {
  const { id } = await params;
  const { done, ...query } = await searchParams;
  const { range, from, to, compare } = query;
  const nodeId = findId(String(query.node ?? ""));
  const { service, account } = await visibleService(id);
  const { asked, params: time } = trafficTime(query, account.timeZone);
  // What a form sent, as a URL that means the same to everybody.
  if (asked.kind === "range" && asked.exact) redirect(trafficPath(service.id, time, nodeId));
  return (
    <main id="main" className="page parts">
      <ServiceOutcome done={done} />
      <Live load={loadService.bind(null, id, { range, from, to, compare }, nodeId)}>
        <ServiceView id={id} query={query} nodeId={nodeId} />
      </Live>
    </main>
  );
}
