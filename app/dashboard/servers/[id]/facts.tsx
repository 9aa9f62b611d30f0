import { Details } from "@/app/ui/details";
import { Section } from "@/app/ui/section";
import type { ServerDetail } from "@/lib/api/schemas";
import { megabytes } from "@/lib/quantities";

const NAMES: Readonly<Record<string, string>> = {
  os: "Operating system",
  kernel: "Kernel",
  cores: "Cores",
  arch: "Architecture",
  memory_mb: "Memory",
  cpu_model: "CPU model",
  virtualization: "Virtualization",
  daemon: "Daemon",
};

/** Shows all facts that the daemon reported, under the daemon's own names. */
export function Facts({ facts }: { facts: ServerDetail["facts"] }) {
  const rows = Object.entries(facts).map(
    ([name, value]) =>
      [
        Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name,
        // Isolated: a fact may be written in either direction.
        <bdi key={name} data-fact={name}>
          {factText(name, value)}
        </bdi>,
      ] as const,
  );
  return (
    <Section id="facts" title="Facts">
      {rows.length === 0 ? <p className="soft">The daemon has not reported any yet.</p> : <Details rows={rows} />}
    </Section>
  );
}

function factText(name: string, value: unknown): string {
  if (name === "memory_mb" && typeof value === "number") return megabytes(value);
  return typeof value === "string" ? value : JSON.stringify(value);
}
