import { Notice } from "@/app/ui/notice";

const OUTCOMES: Readonly<Record<string, string>> = {
  created: "The service is created. Point its public hostname at the edge nodes; they fetch it within seconds.",
  changed: "The change is saved and is being rolled out.",
  enabled: "The service is enabled; that is being rolled out.",
  disabled: "The service is disabled; that is being rolled out.",
  "real-ips-on":
    "Real ips are on; that is being rolled out. The edge nodes ping the origin with and without PROXY protocol.",
  "real-ips-off":
    "Real ips are off; that is being rolled out. The edge nodes ping the origin with and without PROXY protocol.",
  text: "The text for players is saved and is being rolled out.",
  retried: "The edge nodes try again.",
  deleted: "The service is being deleted.",
  shared: "The service is shared: whoever has this e-mail sees it, now or as soon as there is such an account.",
  unshared: "The service is no longer shared with this e-mail.",
  "support-on": "Support staff can see this service now.",
  "support-off": "Support access is off.",
  "ticket-opened": "The ticket is open. While it is, support staff can see this service.",
  "ticket-closed": "The ticket is closed.",
};

const UNCHANGED: Readonly<Record<string, string>> = {
  same: "Nothing was changed: the service is like that already.",
  deleting: "This service is being deleted and can no longer be changed.",
  unchanged: "This is not there any more. Nothing was changed.",
};

/** What became of the last step, which sent the browser here. */
export function Outcome({ done }: { done: string | string[] | undefined }) {
  if (typeof done !== "string") return null;
  if (Object.hasOwn(OUTCOMES, done)) {
    return (
      <Notice tone="done" role="status" on={done}>
        {OUTCOMES[done]}
      </Notice>
    );
  }
  if (!Object.hasOwn(UNCHANGED, done)) return null;
  return (
    <Notice tone="warning" role="status" on={done}>
      {UNCHANGED[done]}
    </Notice>
  );
}
