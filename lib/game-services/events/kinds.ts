import { GameServiceStatus } from "@/lib/generated/prisma/enums";

/** What goes on with a service as a whole. */
export const LASTING_KINDS = [...Object.values(GameServiceStatus), "unserved"] as const;

/**
 * What can happen to a game service. Statuses last until the next one, silences of nodes until they are heard,
 * "unserved" until a live node has the service; the rest are moments.
 */
export type ServiceEventKind =
  | (typeof LASTING_KINDS)[number]
  | "node_silent"
  | "created"
  | "settings_changed"
  | "turned_on"
  | "turned_off"
  | "retried"
  | "deletion_asked"
  | "access_changed";

/** A few facts, by name. Of a change: `by`, the account that made it, and `what` it changed. */
export type ServiceEventFacts = Readonly<Record<string, string | number>>;
