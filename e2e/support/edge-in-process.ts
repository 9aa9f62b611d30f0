import { afterEach, beforeAll } from "vitest";
import { answer } from "@/e2e/support/ask";
import { edgeNodesAt } from "@/e2e/support/edge-nodes";
import * as nodes from "@/lib/game-services/edges/nodes";
import * as services from "@/lib/game-services/management";

/** Edge nodes in the database of this worker, which call the handlers. Leaves none to the next test or file. */
export function edgeNodesInProcess() {
  const here = edgeNodesAt(process.env.DATABASE_URL ?? "", answer, { nodes, services });
  beforeAll(here.clear);
  afterEach(here.clear);
  // An absence of the console would count as heard time of the servers of later files.
  afterEach(() => here.sql("delete from heartbeat"));
  return here;
}
