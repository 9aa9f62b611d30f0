import type { GameService } from "@/lib/api/schemas";
import { counted } from "@/lib/format/quantities";
import { shortDurationText } from "@/lib/format/relative-time";
import type { ServiceDetails } from "@/lib/game-services/details";
import type { ServiceEventKind } from "@/lib/game-services/events/kinds";
import type { GoesOn } from "@/lib/game-services/events/service-events";
import { standingOf } from "@/lib/game-services/standing";
import { StatusBadge, type Tone } from "./status-badge";

type Status = GameService["status"];

/** A status as a word, a sign and a colour. */
export const STATUSES: Readonly<Record<Status, { word: string; sign: string; tone?: Tone }>> = {
  pending_config: { word: "Waiting for an edge node", sign: "○" },
  configuring: { word: "Rolling out", sign: "◐" },
  active: { word: "Active", sign: "●", tone: "good" },
  failed: { word: "Failed", sign: "!", tone: "danger" },
  disabled: { word: "Disabled", sign: "–" },
  deleting: { word: "Being deleted", sign: "×", tone: "warning" },
};

/** A service is in one of these for as long as nothing happens. */
export const SETTLED: readonly ServiceEventKind[] = ["active", "disabled"];

type StateProps = { status: Status; goesOn: GoesOn | undefined; now: Date };

/** The status and, of one that needs somebody or waits for something, for how long. No service is green that no live node has. */
export function ServiceState({ status, goesOn, now }: StateProps) {
  const unservedSince = unservedSinceOf(status, goesOn);
  const since = unservedSince ?? (SETTLED.includes(status) ? undefined : goesOn?.get(status));
  return (
    <>
      {unservedSince !== undefined ? (
        <StatusBadge value={status} sign="✕" word="Active, but served by no live edge node" tone="danger" />
      ) : (
        <StatusBadge value={status} {...STATUSES[status]} />
      )}
      {since !== undefined && <span className="hint"> for {shortDurationText(now.getTime() - since)}</span>}
    </>
  );
}

/** Whether players need somebody: the service failed, or no live edge node has it. */
export function needsSomebody(status: Status, goesOn: GoesOn | undefined): boolean {
  return status === "failed" || unservedSinceOf(status, goesOn) !== undefined;
}

function unservedSinceOf(status: Status, goesOn: GoesOn | undefined): number | undefined {
  return status === "active" ? goesOn?.get("unserved") : undefined;
}

/** What happens next, in one sentence for each status, and one more while no node is heard. */
export function nextStep({ service, goesOn, wish, wasFetched, newest, nodes }: ServiceDetails): string {
  const live = nodes.filter(({ isLive }) => isLive);
  const current = live.filter((node) => standingOf(node, newest) === "current");
  const isWaiting = wasFetched || service.status === "deleting";
  const nobody =
    live.length === 0 && isWaiting ? " No edge node reports at the moment: nothing changes until one does." : "";
  if (unservedSinceOf(service.status, goesOn) !== undefined) {
    return `Players may still reach the origin through edge nodes that fell silent.${nobody}`;
  }
  return sentenceOf(service, wish, current.length, live.length) + nobody;
}

type Wish = ServiceDetails["wish"];

function sentenceOf({ status, config_version, java_hostname }: GameService, wish: Wish, current: number, live: number) {
  const progress = `${current} of ${counted(live, "edge node")} ${current === 1 || live === 1 ? "has" : "have"}`;
  switch (status) {
    case "pending_config":
      return `No edge node has fetched this service yet.${wish === "off" ? "" : " Players can join as soon as one has."}`;
    case "configuring":
      return wish === "off"
        ? `Disabling: ${progress} stopped.`
        : `Rolling out version ${config_version}: ${progress} it.`;
    case "active":
      return `Players who join ${java_hostname} reach the origin.`;
    case "failed":
      return "Remove the cause, then change the service or try again.";
    case "disabled":
      return "Nobody can join until it is enabled.";
    case "deleting":
      return "Edge nodes are removing it. It disappears from here when the last one has.";
  }
}
