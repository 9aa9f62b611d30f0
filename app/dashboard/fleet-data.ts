import { cache } from "react";
import { listFleet } from "@/lib/servers/servers";

/** The fleet of an account, read once for a request: its title counts what its table shows. */
export const fleetOf = cache((accountId: number) => listFleet(accountId));
