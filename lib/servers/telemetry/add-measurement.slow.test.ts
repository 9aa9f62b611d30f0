import { afterEach, beforeEach, expect, test } from "vitest";
import { ProjectCopy } from "@/e2e/support/project-copy";
import { MINUTE } from "@/lib/format/time";

// A new measurement in a copy of the project, from one row, one column and one migration.

const ROW = `
  gpuPct: {
    name: "gpu_pct",
    unit: "percent",
    isScored: false,
    rollUp: { chart: { title: "GPU", top: 100 }, label: "Busy" },
    description: "GPU use",
    metric: "gpu_usage_ratio",
  },`;

const FIELD = `
  gpuPct Float? @map("gpu_pct") @db.Real`;
const FIELDS_OF_HOURS = `
  gpuPctMin Float? @map("gpu_pct_min") @db.Real
  gpuPctAvg Float? @map("gpu_pct_avg") @db.Real
  gpuPctMax Float? @map("gpu_pct_max") @db.Real
  gpuPctCount Int? @map("gpu_pct_count") @db.SmallInt`;

const MIGRATION = `ALTER TABLE "telemetry_samples" ADD COLUMN "gpu_pct" REAL;
ALTER TABLE "telemetry_hours" ADD COLUMN "gpu_pct_min" REAL, ADD COLUMN "gpu_pct_avg" REAL, ADD COLUMN "gpu_pct_max" REAL,
  ADD COLUMN "gpu_pct_count" SMALLINT;`;

/** Reports the new measurement of two hours ago, and prints where it is seen. */
const USE_IT = `
import { HISTORY_CHARTS } from "@/app/dashboard/servers/[id]/history-charts";
import { migrate } from "@/scripts/database";
import { startEmbeddedDatabase } from "@/server/embedded/database";

const database = await startEmbeddedDatabase();
await migrate(database.url);
process.env.DATABASE_URL = database.url;
const { db } = await import("@/lib/database/client");
const { newAccount, newReportingServer } = await import("@/e2e/support/factories");
const { POST } = await import("@/app/ingest/v1/check-ins/route");
const { GET } = await import("@/app/api/v1/servers/[id]/route");
const { GET: scrape } = await import("@/app/metrics/route");
const { getHistory } = await import("@/lib/servers/telemetry/history");
const { DEMO_SERVERS } = await import("@/prisma/demo/data");
const { sampleAt } = await import("@/prisma/demo/machines");

const account = await newAccount();
const { id, key } = await newReportingServer(account.id, { createdAt: new Date(Date.now() - 7_200_000) });
const params = Promise.resolve({ id: String(id) });
const send = (handler, path, credentials, body) =>
  handler(
    new Request("http://console.example" + path, {
      headers: { Authorization: "Bearer " + credentials, "Content-Type": "application/json" },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    }),
    { params },
  );
const sampled_at = Date.now() - 7_140_000;
const accepted = (await send(POST, "/ingest/v1/check-ins", key, { sampled_at, gpu_pct: 42 })).status;
const refused = await (await send(POST, "/ingest/v1/check-ins", key, { gpu_pct: 101 })).text();
const stored = await db.telemetrySample.findMany({ select: { gpuPct: true } });
const { points } = await getHistory(id, "7d", Date.now());
const { data: server } = await (await send(GET, "/api/v1/servers/" + id, account.token)).json();
const scraped = (await (await send(scrape, "/metrics", account.token)).text()).match(/^console_server_gpu.*$/m)?.[0];
const [{ machine }] = DEMO_SERVERS;
const simulated = sampleAt(machine, { busy: 0.5, filled: 0.5 }).gpuPct;
console.log(
  JSON.stringify({
    accepted,
    refused,
    stored,
    rolledUp: points.flatMap(({ bands }) => bands.gpuPct ?? []),
    charted: HISTORY_CHARTS.filter(({ title }) => title === "GPU"),
    answered: server.latest_sample,
    scraped: scraped?.replace(/\\d+/, "ID"),
    isSimulated: typeof simulated === "number",
  }),
);
await db.$disconnect();
await database.stop();
process.exit(0);
`;

let copy: ProjectCopy;

beforeEach(() => {
  copy = new ProjectCopy();
});
afterEach(() => copy.remove());

test("one row, its columns and a migration add a measurement; missing columns fail compilation", {
  timeout: 3 * MINUTE,
}, () => {
  copy.addAfter("prisma/schema.prisma", 'cpuIowaitPct     Float?   @map("cpu_iowait_pct") @db.Real', FIELD);
  const hours = 'cpuIowaitPctMin       Float?    @map("cpu_iowait_pct_min") @db.Real';
  const schema = copy.read("prisma/schema.prisma");
  expect(schema).toContain(hours);
  copy.write("prisma/schema.prisma", schema.replace(hours, hours + FIELDS_OF_HOURS));
  copy.write("prisma/migrations/29990101000000_gpu/migration.sql", MIGRATION);
  copy.addAfter("lib/servers/telemetry/measurements.ts", "export const MEASUREMENTS = {", ROW);
  const generated = copy.run("prisma/build/index.js", "generate");
  expect(generated.status, generated.stderr).toBe(0);
  expect(copy.typeErrors()).toBe("");
  copy.write("use-it.mts", USE_IT);
  const used = copy.run("tsx/dist/cli.mjs", "use-it.mts");
  expect(JSON.parse(used.stdout || "null"), used.stderr).toEqual({
    accepted: 200,
    refused: '{"error":"gpu_pct: expected number to be <=100."}',
    stored: [{ gpuPct: 42 }],
    rolledUp: [{ least: 42, mean: 42, greatest: 42, count: 1 }],
    charted: [{ title: "GPU", top: 100, unit: "percent", series: [{ name: "Busy", measure: "gpuPct" }] }],
    answered: { ts: expect.any(Number), gpu_pct: 42 },
    scraped: 'console_server_gpu_usage_ratio{server_id="ID"} 0.42',
    isSimulated: true,
  });

  copy.write("use-it.mts", "");
  copy.addAfter(
    "lib/servers/telemetry/measurements.ts",
    "export const MEASUREMENTS = {",
    ROW.replace("gpuPct", "gpuLoad"),
  );
  const errors = copy.typeErrors();
  expect(errors).toMatch(/^lib\/servers\/telemetry\/check-ins\.ts.*gpuLoad/ms);
});
