import { Details } from "@/app/ui/details";
import type { ServerDetail } from "@/lib/api/schemas";
import { Section } from "./section";

const NAMES: Readonly<Record<string, string>> = {
  os: "Operating system",
  kernel: "Kernel",
  cores: "Cores",
  arch: "Architecture",
  memory_mb: "Memory (MB)",
  cpu_model: "CPU model",
  virtualization: "Virtualization",
  daemon: "Daemon",
};

/** What the daemon reported of the machine: whatever it knows, under the name it gave. */
export function Facts({ facts }: { facts: ServerDetail["facts"] }) {
  const rows = Object.entries(facts).map(
    ([name, value]) =>
      [
        Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name,
        // Isolated: a fact may be written in either direction.
        <bdi key={name} data-fact={name}>
          {typeof value === "string" ? value : JSON.stringify(value)}
        </bdi>,
      ] as const,
  );
  return (
    <Section id="facts" title="Facts">
      {rows.length === 0 ? <p className="soft">The daemon has not reported any yet.</p> : <Details rows={rows} />}
    </Section>
  );
}
