import type { GameServiceStatus, ServiceWish } from "@/lib/generated/prisma/enums";

/** What a live edge node last said of a service. */
export type NodeAnswer = {
  node: string;
  /** The newest version that it acknowledged; null when it never acknowledged any. */
  version: number | null;
  /** Why it could not apply that version; null when it did. */
  error: string | null;
  /** The version that players reach. Null when none, or when the node does not say. */
  servingVersion: number | null;
};

/** Everything that the status of a service depends on. */
export type StatusFacts = {
  /** Null when another program wrote the row. The wish then follows from the status. */
  wish: ServiceWish | null;
  status: GameServiceStatus;
  error: string | null;
  configVersion: number;
  /** Whether any edge node ever fetched its configuration. */
  wasFetched: boolean;
  /** The message to the owner why edge nodes do not get it. Null when they do. */
  problem: string | null;
  /** One of each live node, by the id of the node. */
  answers: readonly NodeAnswer[];
};

/** What to write; `remove` deletes the service, because no edge node has it any more. */
export type Outcome = { kind: "status"; status: GameServiceStatus; error: string | null } | { kind: "remove" };

/** The wish of a service. Derives it from the status when another program left it null. */
export function wishOf(wish: ServiceWish | null, status: GameServiceStatus): ServiceWish {
  if (wish !== null) return wish;
  if (status === "disabled") return "off";
  return status === "deleting" ? "gone" : "on";
}

/**
 * The status of a service (contract 2.5, 3): the first rule that holds. A service that another program wrote keeps its status
 * until a live node acknowledges it, and is never deleted from here.
 */
export function nextStatus(facts: StatusFacts): Outcome {
  const { configVersion, answers } = facts;
  const wish = wishOf(facts.wish, facts.status);
  const isAcknowledged = answers.length > 0 && answers.every(({ version }) => version === configVersion);

  if (facts.wish === "gone") {
    const isGone = isAcknowledged && answers.every(({ error }) => error === null);
    return !facts.wasFetched || isGone ? { kind: "remove" } : to("deleting");
  }
  if (wish === "gone") return to("deleting");
  if (facts.problem !== null) {
    const serving = answers.find(({ servingVersion }) => servingVersion !== null)?.servingVersion ?? null;
    return to("failed", withServing(facts.problem, configVersion, serving));
  }
  if (facts.wish === null && answers.every(({ version }) => version === null)) return keep(facts);
  if (!facts.wasFetched) return to("pending_config");
  if (answers.length === 0) return keep(facts);
  const failed = answers.find(({ version, error }) => version === configVersion && error !== null);
  if (failed) {
    return to("failed", withServing(`${failed.node}: ${failed.error}`, configVersion, failed.servingVersion));
  }
  if (!isAcknowledged) return to("configuring");
  return to(wish === "off" ? "disabled" : "active");
}

/** The error of a version, and what players still reach. */
function withServing(error: string, configVersion: number, servingVersion: number | null): string {
  if (servingVersion === null) return error;
  const what = servingVersion === configVersion ? "its last ip" : `version ${servingVersion}`;
  return `${error} Players still reach ${what}.`;
}

function to(status: GameServiceStatus, error: string | null = null): Outcome {
  return { kind: "status", status, error };
}

function keep({ status, error }: StatusFacts): Outcome {
  return { kind: "status", status, error };
}
