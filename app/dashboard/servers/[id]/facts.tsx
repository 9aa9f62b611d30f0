import { Name } from "@/app/ui/name";
import { Section } from "@/app/ui/section";
import type { ServerDetail } from "@/lib/api/schemas";
import { megabytes } from "@/lib/format/quantities";
import type { CurrentValues } from "@/lib/servers/servers";
import styles from "./facts.module.css";

const NAMES: Readonly<Record<string, string>> = {
  os: "Operating system",
  kernel: "Kernel",
  cores: "Cores",
  arch: "Architecture",
  memory_mb: "Memory",
  cpu_model: "CPU model",
  virtualization: "Virtualization",
  container: "Measured as",
  read_only_root: "Root file system",
  daemon: "Daemon",
};

type Props = { server: Pick<ServerDetail, "facts" | "hostname">; current: CurrentValues };

/** Shows the facts that the daemon reported, under the daemon's own names, but for those that stand above. */
export function Facts({ server: { facts, hostname }, current }: Props) {
  const shown = Object.entries(facts).filter(
    ([name, value]) => !isSaidAbove(name, value, current) && !(name === "hostname" && value === hostname),
  );
  return (
    <Section id="facts" title="Facts">
      {shown.length === 0 ? (
        <p className="soft">
          {Object.keys(facts).length === 0 ? "The daemon has not reported any yet." : "No facts but those above."}
        </p>
      ) : (
        <dl className={`card columns inset text-md breaks ${styles.facts}`}>
          {shown.map(([name, value]) => (
            <div key={name} className="pair">
              <dt>{Object.hasOwn(NAMES, name) ? (NAMES[name] ?? name) : name}</dt>
              {/* Isolated: a fact may be written in either direction. */}
              <dd>
                <Name data-fact={name}>{factText(name, value)}</Name>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Section>
  );
}

/** The strip says the cores beside the load, and how much memory there is beside what is used. */
function isSaidAbove(name: string, value: unknown, { cores, load5, memUsedMb, memTotalMb }: CurrentValues): boolean {
  if (name === "cores") return load5 !== null && value === cores;
  return name === "memory_mb" && memUsedMb !== null && typeof value === "number" && memTotalMb !== null
    ? megabytes(value) === megabytes(memTotalMb)
    : false;
}

function factText(name: string, value: unknown): string {
  if (name === "memory_mb" && typeof value === "number") return megabytes(value);
  if (name === "container" && value === true) return "container, within its limits";
  if (name === "read_only_root" && value === true) return "read-only: nothing can be written to it";
  return typeof value === "string" ? value : JSON.stringify(value);
}
