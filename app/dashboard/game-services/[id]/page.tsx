import type { Metadata } from "next";
import { Live } from "@/app/ui/live";
import { parseTrafficRange } from "@/lib/game-services/traffic";
import { findId } from "@/lib/http/ids";
import { Outcome } from "../outcome";
import { visibleService } from "./own-service";
import { ServiceView } from "./service-view";
import { loadService } from "./service-view-actions";

type Props = {
  params: Promise<{ id: string }>;
  searchParams: Promise<Record<string, string | string[] | undefined>>;
};

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: (await visibleService((await params).id)).service.name };
}

export default async function Page({ params, searchParams }: Props) {
  const { id } = await params;
  const { done, ...query } = await searchParams;
  const range = parseTrafficRange(query.range);
  const nodeId = findId(String(query.node ?? ""));
  return (
    <main id="main" className="page parts">
      <Outcome done={done} />
      <Live load={loadService.bind(null, id, range, nodeId)}>
        <ServiceView id={id} range={range} nodeId={nodeId} />
      </Live>
    </main>
  );
}
