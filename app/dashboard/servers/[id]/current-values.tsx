import { Time } from "@/app/ui/time";
import { decimal, megabytesOf, percent } from "@/lib/quantities";
import { durationText } from "@/lib/relative-time";
import { valueAt } from "@/lib/servers/curve";
import { levelOf } from "@/lib/servers/health-level";
import { COMPONENT_CURVES } from "@/lib/servers/health-score";
import type { ServerReport } from "@/lib/servers/servers";
import { SECOND } from "@/lib/time";
import styles from "./current-values.module.css";

type Value = { name: string; text: string; detail?: string; level?: string; field?: string; value?: number };

/** Shows the server's latest values in one strip. */
export function CurrentValues({ report, now }: { report: ServerReport; now: Date }) {
  const { server, hasCheckedIn } = report;
  const sample = server.latest_sample;
  return (
    <section className={styles.section} aria-label="Current values">
      <dl className={`card ${styles.strip}`} data-online={server.online}>
        <div data-level={hasCheckedIn ? levelOf(server.score) : undefined}>
          <dt>Score</dt>
          <dd>
            <data className={styles.score} value={server.score} data-score>
              {hasCheckedIn ? server.score : "–"}
            </data>{" "}
            <small>
              {hasCheckedIn ? `of 1000, ${levelOf(server.score)}` : "the API counts 500 until the first check-in"}
            </small>
          </dd>
        </div>
        {valuesOf(report).map(({ name, text, detail, level, field, value }) => (
          <div key={name} data-level={level}>
            <dt>{name}</dt>
            <dd>
              {field === undefined ? (
                text
              ) : (
                <data value={value} data-field={field}>
                  {text}
                </data>
              )}
              {detail && <small>{detail}</small>}
            </dd>
          </div>
        ))}
      </dl>
      {sample && (
        <p className="hint">
          Measured <Time at={new Date(sample.ts)} now={now} />
          {!server.online && ", when it was last heard"}.
        </p>
      )}
    </section>
  );
}

/** Shows nothing for a missing measurement. */
function valuesOf({ server: { latest_sample: sample }, current }: ServerReport): Value[] {
  const { memUsedMb, memTotalMb, cpuPct, diskUsedPct, load5, netLossPct, uptimeS, cores } = current;
  const memoryPct = memUsedMb !== null && memTotalMb ? Math.min(100, (memUsedMb / memTotalMb) * 100) : null;
  const level = (curve: keyof typeof COMPONENT_CURVES, value: number) =>
    levelOf(valueAt(COMPONENT_CURVES[curve], value));
  const values: (Value | null)[] = [
    cpuPct === null
      ? null
      : {
          name: "CPU",
          text: percent(cpuPct),
          level: level("cpuPct", cpuPct),
          field: "cpu_pct",
          value: sample?.cpu_pct ?? cpuPct,
        },
    memUsedMb === null
      ? null
      : {
          name: "Memory",
          text:
            memoryPct === null || !memTotalMb
              ? megabytesOf(memUsedMb, memUsedMb).replace(/^.* of /, "")
              : percent(memoryPct),
          ...(memTotalMb && { detail: megabytesOf(memUsedMb, memTotalMb) }),
          ...(memoryPct !== null && { level: level("memoryPct", memoryPct) }),
          field: "mem_used_mb",
          value: memUsedMb,
        },
    diskUsedPct === null
      ? null
      : { name: "Fullest disk", text: percent(diskUsedPct), level: level("diskPct", diskUsedPct) },
    load5 === null
      ? null
      : {
          name: "Load",
          text: decimal(load5),
          ...(cores && { detail: `on ${cores} ${cores === 1 ? "core" : "cores"}` }),
        },
    netLossPct === null
      ? null
      : { name: "Packets lost", text: percent(netLossPct), level: level("lossPct", netLossPct) },
    uptimeS === null ? null : { name: "Up for", text: durationText(uptimeS * SECOND) },
  ];
  return values.filter((value) => value !== null);
}
