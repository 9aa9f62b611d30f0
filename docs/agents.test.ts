import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { AGENTS } from "@/e2e/support/agent-protocols";
import { eachMeasurement, type Sample } from "@/lib/servers/telemetry/measurements";
import { listUnmeasured, unmeasuredText } from "@/lib/servers/unmeasured";

test("docs/agents.md and server pages agree on the points each agent can never lose", () => {
  const columns = ["Prometheus", "Telegraf", "Proxmox VE", "the Collector"];
  expect(Object.keys(AGENTS)).toEqual(columns);
  const [row = ""] = /^\| never lost \|.*$/m.exec(readFileSync("docs/agents.md", "utf8")) ?? [];
  const cells = row.split("|").map((cell) => cell.trim());
  for (const [index, name] of columns.entries()) {
    const measured = AGENTS[name]?.measured as Partial<Sample>;
    // The facts of a machine come from the daemon and from Prometheus.
    const cores = name === "Prometheus" ? 2 : null;
    const current = { ...eachMeasurement(() => null), ...measured, cores };
    expect(cells[2 + index], name).toBe(unmeasuredText(listUnmeasured(current)));
  }
});
