import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writePrometheus } from "@/lib/api/prometheus";
import { metricSample } from "@/lib/api/schemas";
import { MEANINGS } from "./counters";

test("the API, clients, docs/edge.md and /metrics help describe node counters alike", async () => {
  const files = ["docs/edge.md", "public/clients/console-api.ts"].map((path) => readFileSync(path, "utf8"));
  const interval = { ts: 0, node_id: 1, packets: 1, bytes: 1, dropped: 1, connections: 1, latency_ms: 1 };
  const service = { id: 1, name: "a", status: "active", java_hostname: "a.example", config_version: 1 } as const;
  const metrics = await writePrometheus([], [{ ...service, intervals: [interval] }]);
  const { packets, bytes, dropped, connections, latency_ms: latency } = metricSample.shape;
  for (const [name, field] of Object.entries({ packets, bytes, dropped, connections, latency })) {
    const meaning = MEANINGS[name as keyof typeof MEANINGS];
    expect(field.description, name).toContain(meaning);
    for (const text of files) expect(text.replaceAll(/\s+\*?\s*/g, " "), name).toContain(meaning);
    const metric = { dropped: "dropped_packets", latency: "latency_seconds" }[name] ?? name;
    expect(metrics).toContain(`# HELP console_game_service_interval_${metric} ${meaning}, in the newest interval`);
  }
});
