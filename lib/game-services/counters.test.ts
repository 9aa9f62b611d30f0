import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { metricSample } from "@/lib/api/schemas";
import { MEANINGS } from "./counters";

test("the document of the API, the clients and docs/edge.md say the same of what edge nodes count", () => {
  const files = ["docs/edge.md", "public/clients/console-api.ts"].map((path) => readFileSync(path, "utf8"));
  const { packets, bytes, dropped, connections, latency_ms: latency } = metricSample.shape;
  for (const [name, field] of Object.entries({ packets, bytes, dropped, connections, latency })) {
    const meaning = MEANINGS[name as keyof typeof MEANINGS];
    expect(field.description, name).toContain(meaning);
    for (const text of files) expect(text.replaceAll(/\s+\*?\s*/g, " "), name).toContain(meaning);
  }
});
