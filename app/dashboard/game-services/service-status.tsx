import type { GameService } from "@/lib/api/schemas";
import type { ServiceDetails } from "@/lib/game-services/details";
import { standingOf } from "@/lib/game-services/standing";
import { counted } from "@/lib/quantities";
import { StatusBadge, type Tone } from "./status-badge";

type Status = GameService["status"];

/** A status as a word, a sign and a colour. */
const STATUSES: Readonly<Record<Status, { word: string; sign: string; tone?: Tone }>> = {
  pending_config: { word: "Waiting for an edge", sign: "○" },
  configuring: { word: "Rolling out", sign: "◐" },
  active: { word: "Active", sign: "●", tone: "good" },
  failed: { word: "Failed", sign: "!", tone: "danger" },
  disabled: { word: "Disabled", sign: "–" },
  deleting: { word: "Being deleted", sign: "×", tone: "warning" },
};

export function ServiceStatus({ status }: { status: Status }) {
  return <StatusBadge value={status} {...STATUSES[status]} />;
}

/** What happens next, in one sentence for each status, and one more while no node is heard. */
export function nextStep({ service, wasFetched, newest, nodes }: ServiceDetails): string {
  const live = nodes.filter(({ isLive }) => isLive);
  const current = live.filter((node) => standingOf(node, newest) === "current");
  const isWaiting = wasFetched || service.status === "deleting";
  const nobody =
    live.length === 0 && isWaiting ? " No edge node is heard at the moment: nothing changes before one is." : "";
  return sentenceOf(service, current.length, live.length) + nobody;
}

function sentenceOf({ status, config_version }: GameService, current: number, live: number): string {
  switch (status) {
    case "pending_config":
      return "No edge node has fetched this service yet; it goes on as soon as one does.";
    case "configuring":
      return `Version ${config_version} is being rolled out: ${current} of ${counted(live, "live edge node")} ${live === 1 ? "has" : "have"} it.`;
    case "active":
      return "The edge nodes serve it: players who come to the public hostname reach the origin.";
    case "failed":
      return "Remove the cause, then change the service or try again.";
    case "disabled":
      return "The edge nodes let nobody through until it is enabled.";
    case "deleting":
      return "The edge nodes are taking it away; it is gone from here when the last of them has.";
  }
}
