/** What a node last said of a service. `version` null: it does not have the service. */
export type NodeWord = {
  version: number | null;
  error: string | null;
  /** The version that players reach. Null when none, or when the node does not say. */
  servingVersion: number | null;
};

/** How far a node can be with the newest version of a service, what needs somebody first. */
export const STANDINGS = ["failed", "withheld", "waiting", "behind", "current"] as const;
export type Standing = (typeof STANDINGS)[number];
export type Standings = Readonly<Record<Standing, number>>;

/** The newest version of a service. `isWithheld`: the console does not hand it out, because of what the owner can read. */
export type Newest = { configVersion: number; isWithheld: boolean };

/** How far a node is with the newest version. `standings.ts` counts by the same rule. */
export function standingOf({ version, error }: Pick<NodeWord, "version" | "error">, newest: Newest): Standing {
  if (version === newest.configVersion) return error === null ? "current" : "failed";
  if (newest.isWithheld) return "withheld";
  return version === null ? "waiting" : "behind";
}

const COUNTED: Readonly<Record<Standing, string>> = {
  failed: "cannot serve the newest version",
  withheld: "not handed out",
  waiting: "not fetched yet",
  behind: "with an older version",
  current: "at the newest version",
};

/** "1 cannot serve the newest version, 2 at the newest version": nodes of a service, or services of a node. */
export function describeStandings(standings: Standings): string {
  const parts = STANDINGS.flatMap((standing) => {
    const count = standings[standing];
    return count > 0 ? `${count.toLocaleString("en")} ${COUNTED[standing]}` : [];
  });
  return parts.length > 0 ? parts.join(", ") : "None";
}

/** The standing of a node in words, with what players reach. `isOn`: whether the service is to be served. */
export function describeStanding(node: NodeWord, newest: Newest, isOn: boolean): string {
  const { configVersion } = newest;
  switch (standingOf(node, newest)) {
    case "waiting":
      return "Not fetched yet";
    case "withheld": {
      const serving = node.servingVersion === null ? "" : `; serving version ${node.servingVersion}`;
      return `Version ${configVersion} is not handed out${serving}`;
    }
    case "behind": {
      const has =
        node.servingVersion === null ? `Has version ${node.version}` : `Serving version ${node.servingVersion}`;
      return `${has}; version ${configVersion} not fetched yet`;
    }
    case "current":
      return isOn ? `Serving version ${configVersion}` : `Lets nobody through, as version ${configVersion} says`;
    case "failed": {
      const failed = `Cannot serve version ${configVersion}`;
      if (node.servingVersion === null) return failed;
      return `${failed}; serving ${node.servingVersion === configVersion ? "its last ip" : `version ${node.servingVersion}`}`;
    }
  }
}
