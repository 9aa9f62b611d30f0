import { afterEach, beforeAll } from "vitest";
import { answer } from "@/e2e/support/ask";
import { edgeNodesAt, RULES } from "@/e2e/support/edge-nodes";
import { watchNodes } from "@/lib/game-services/events/watch";
import * as services from "@/lib/game-services/management";

/** Edge nodes in the database of this worker, which call the handlers. Leaves none to the next test or file. */
export function edgeNodesInProcess() {
  const here = edgeNodesAt(process.env.DATABASE_URL ?? "", answer, async (owner, input) => {
    const created = await services.createService(owner, input, RULES);
    if (created.kind !== "created") throw new Error(JSON.stringify(created));
    return created.id;
  });
  beforeAll(here.clear);
  afterEach(here.clear);
  // An absence of the console would count as heard time of the servers of later files.
  afterEach(() => here.sql("delete from heartbeat"));
  return {
    ...here,
    /** Looks for nodes that are silent, where the console has judged for that long, as an interval of PostgreSQL. */
    async watchFor(judging = "400 days") {
      await here.sql(
        `insert into heartbeat (id, beat_at, judges_from) values (1, now(), now() - $1::interval)
          on conflict (id) do update set beat_at = excluded.beat_at, judges_from = excluded.judges_from`,
        [judging],
      );
      await watchNodes();
    },
  };
}
