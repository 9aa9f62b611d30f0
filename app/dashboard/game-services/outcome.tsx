import { Outcome } from "@/app/dashboard/outcome";

const OUTCOMES: Readonly<Record<string, string>> = {
  created: "The service is created. Edge nodes fetch it within seconds; point its public hostname at them.",
  changed: "Saved. Edge nodes apply the change within seconds.",
  enabled: "Saved. Edge nodes let players join within seconds.",
  disabled: "Saved. Edge nodes close its connections within seconds.",
  "real-ips-on":
    "Real ips are on. Edge nodes apply this within seconds, and test the origin with and without PROXY protocol.",
  "real-ips-off":
    "Real ips are off. Edge nodes apply this within seconds, and test the origin with and without PROXY protocol.",
  text: "The text for players is saved. Edge nodes apply it within seconds.",
  retried: "The edge nodes try again.",
  deleted: "The service is being deleted.",
  shared: "Shared. The account with this e-mail sees the service, also if it is created later.",
  unshared: "The service is no longer shared with this e-mail.",
  "support-on": "Support staff can see this service now.",
  "support-off": "Support access is off.",
  "ticket-opened": "The ticket is open. While it is, support staff can see this service.",
  "ticket-closed": "The ticket is closed.",
};

const UNCHANGED: Readonly<Record<string, string>> = {
  same: "Nothing was changed: the service is already set that way.",
  deleting: "This service is being deleted and can no longer be changed.",
  unchanged: "Nothing was changed: it no longer exists.",
};

/** What became of the last step with a game service. */
export function ServiceOutcome({ done }: { done: string | string[] | undefined }) {
  return <Outcome done={done} sentences={OUTCOMES} unchanged={UNCHANGED} />;
}
