import { z } from "zod";
import { type Account, serializeAccount } from "@/lib/accounts/accounts";
import * as schemas from "@/lib/api/schemas";
import { getGameService, listGameServices } from "@/lib/game-services/game-services";
import { RANGE_NAMES } from "@/lib/game-services/metrics-query";
import { sumTraffic, TOTALS_BY } from "@/lib/game-services/traffic-totals";
import { MAX_ID } from "@/lib/http/ids";
import { ADVICE, worstCause } from "@/lib/servers/advice";
import { listBenchmarks } from "@/lib/servers/benchmarks";
import { COMPONENTS, FULL, WEIGHTS } from "@/lib/servers/health-score";
import { getServerReport, listServerDetails, listServers } from "@/lib/servers/servers";
import { fieldsOf, rowsInput, selectRows } from "./rows";

/** A tool of the Model Context Protocol. All of them only read. */
type Tool<Input extends z.ZodObject> = {
  description: string;
  input: Input;
  /** How many endpoints of the API it reads: a call counts as so many requests. Without it, as one. */
  requests?(input: z.infer<Input>): number;
  /** Whether it may keep this process or the database busy for long; else it does not. */
  isLong?(input: z.infer<Input>): boolean;
  /** The answer; what is called `rows` or `facts` may be cut. @throws NotFoundError, InvalidInputError */
  run(account: Account, input: z.infer<Input>): Promise<Record<string, unknown>>;
};

const id = z.int().min(1).max(MAX_ID);
const none = z.strictObject({});
const LISTED = Object.keys(schemas.serverListItem.shape);
const inner = (name: string, schema: z.ZodObject) => Object.keys(schema.shape).map((field) => `${name}.${field}`);
const SERVER_FIELDS = [
  ...LISTED,
  "created_at",
  ...inner("facts", schemas.facts),
  ...inner("score_components", schemas.scoreComponents),
  ...inner("latest_sample", schemas.latestSample),
];
const SERVICE_FIELDS = Object.keys(schemas.gameService.shape);

/** Whether the list alone has all that is asked for. */
const isOfList = (input: z.infer<typeof rowsInput>) => fieldsOf(input).every((field) => LISTED.includes(field));

export const TOOLS = {
  account: tool({
    description: "The account that the token acts as.",
    input: none,
    run: async (account) => serializeAccount(account),
  }),
  servers: tool({
    description: `Servers, filtered, sorted, with chosen fields. score: health, 0 (worst) to 1000. Fields: ${compact(SERVER_FIELDS)}. Absent: not measured.`,
    input: rowsInput,
    requests: (input) => (isOfList(input) ? 1 : 2),
    // A fleet may have a thousand.
    isLong: () => true,
    run: async ({ id: accountId }, input) => {
      const servers = isOfList(input) ? (await listServers(accountId)).servers : await listServerDetails(accountId);
      return selectRows(servers, SERVER_FIELDS, LISTED, input);
    },
  }),
  server: tool({
    description:
      "One server in full: why it scores what it scores (score_notes), the latest measurements, and to_do: what costs points and what to try, worst first.",
    input: z.strictObject({ id, benchmarks: z.boolean().optional().describe("With its finished runs, newest first") }),
    requests: ({ benchmarks }) => (benchmarks ? 2 : 1),
    run: async ({ id: accountId }, { id: serverId, benchmarks }) => {
      const { server, health } = await getServerReport(accountId, String(serverId));
      const costs = COMPONENTS.flatMap((component) => {
        const cause = worstCause(health.causes[component]);
        const lost = (WEIGHTS[component] * (FULL - server.score_components[component])) / 100;
        return cause ? [{ component, costs: lost, advice: ADVICE[cause.kind] }] : [];
      });
      const toDo = costs.filter((cost) => cost.costs >= 1).sort((a, b) => b.costs - a.costs);
      const runs = benchmarks ? { rows: (await listBenchmarks(accountId, String(serverId))).benchmarks } : {};
      return { ...server, to_do: toDo, ...runs };
    },
  }),
  services: tool({
    description: `Game-protection services, owned or shared. Fields: ${compact(SERVICE_FIELDS)}. error: why the last change failed.`,
    input: rowsInput,
    run: async ({ id: accountId }, input) =>
      selectRows((await listGameServices(accountId)).services, SERVICE_FIELDS, SERVICE_FIELDS, input),
  }),
  traffic: tool({
    description:
      "The traffic of a service, summed up: in total, and by hour or day (UTC, epoch ms) or by edge node, as rows under columns.",
    input: z.strictObject({ id, range: z.enum(RANGE_NAMES).optional(), by: z.enum(TOTALS_BY).optional() }),
    isLong: ({ range }) => range === "24h" || range === "7d",
    run: async (account, { id: serviceId, range = "1h", by = "hour" }) => {
      const { name } = await getGameService(account, String(serviceId));
      const { parts, ...sums } = await sumTraffic(serviceId, range, by);
      const columns = Object.keys(sums.total) as (keyof typeof sums.total)[];
      const rows = parts.map(({ at, ...part }) => [at, ...columns.map((column) => part[column])]);
      return { name, range, ...sums, columns: [by === "node" ? "node_id" : `${by}_begins`, ...columns], rows };
    },
  }),
} as const;

/** Lists fields; those of an inner object stand together, as `facts.(os|kernel)`. */
function compact(fields: readonly string[]): string {
  const groups = new Map<string, string[]>();
  for (const field of fields) {
    const [name = "", innerName] = field.split(".");
    groups.set(name, [...(groups.get(name) ?? []), ...(innerName ? [innerName] : [])]);
  }
  return [...groups].map(([name, all]) => (all.length > 0 ? `${name}.(${all.join("|")})` : name)).join(", ");
}

function tool<Input extends z.ZodObject>(row: Tool<Input>): Tool<Input> {
  return row;
}
