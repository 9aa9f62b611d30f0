import { Time } from "@/app/ui/time";
import { type StripValue, ValueStrip } from "@/app/ui/value-strip";
import { decimal, megabytes, megabytesOf, percent } from "@/lib/format/quantities";
import { durationText } from "@/lib/format/relative-time";
import { MINUTE, SECOND } from "@/lib/format/time";
import { valueAt } from "@/lib/servers/curve";
import { levelOf, shownLevel } from "@/lib/servers/health-level";
import { COMPONENT_CURVES } from "@/lib/servers/health-score";
import type { ServerReport } from "@/lib/servers/servers";
import { rolledUpValues } from "@/lib/servers/telemetry/measurements";

/**
 * A sample that is older than the last check-in by more than this has its own time, as every one of a server that is not online. The
 * head of the page says the other.
 */
const SAME_MOMENT = MINUTE;

/** Shows the server's latest values in one strip. */
export function CurrentValues({ report, now }: { report: ServerReport; now: Date }) {
  const { server, hasCheckedIn, need } = report;
  const sample = server.latest_sample;
  const level = shownLevel(server.score, need);
  const score: StripValue = {
    name: "Score",
    value: (
      <data value={server.score} data-score>
        {hasCheckedIn ? server.score : "–"}
      </data>
    ),
    detail: hasCheckedIn
      ? `of 1000, ${need === "attention" && levelOf(server.score) === "healthy" ? "needs attention" : level}`
      : "no check-in yet",
    level: hasCheckedIn ? level : undefined,
  };
  return (
    <section className="stack tight" aria-label="Current values" data-sampled-at={sample?.ts}>
      <ValueStrip values={[score, ...valuesOf(report.current)]} isPast={!server.online} />
      {sample && (!server.online || server.last_seen - sample.ts > SAME_MOMENT) && (
        <p className="hint">
          Measured <Time at={new Date(sample.ts)} now={now} />.
        </p>
      )}
    </section>
  );
}

/** Shows nothing for a missing measurement. */
function valuesOf(current: ServerReport["current"]): StripValue[] {
  const { memUsedMb, memTotalMb, cpuPct, diskUsedPct, load5, netLossPct, uptimeS, cores } = current;
  const { memUsedPct } = rolledUpValues(current);
  const level = (curve: keyof typeof COMPONENT_CURVES, value: number) =>
    levelOf(valueAt(COMPONENT_CURVES[curve], value));
  const values: (StripValue | false)[] = [
    cpuPct !== null && {
      name: "CPU",
      value: (
        <data value={cpuPct} data-field="cpu_pct">
          {percent(cpuPct)}
        </data>
      ),
      level: level("cpuPct", cpuPct),
    },
    memUsedMb !== null && {
      name: "Memory",
      value: (
        <data value={memUsedMb} data-field="mem_used_mb">
          {memUsedPct === null ? megabytes(memUsedMb) : percent(memUsedPct)}
        </data>
      ),
      ...(memTotalMb && { detail: megabytesOf(memUsedMb, memTotalMb) }),
      ...(memUsedPct !== null && { level: level("memoryPct", memUsedPct) }),
    },
    diskUsedPct !== null && { name: "Fullest disk", value: percent(diskUsedPct), level: level("diskPct", diskUsedPct) },
    load5 !== null && {
      name: "Load",
      value: decimal(load5),
      ...(cores && {
        detail: (
          <>
            on <span data-fact="cores">{cores}</span> {cores === 1 ? "core" : "cores"}
          </>
        ),
      }),
    },
    netLossPct !== null && { name: "Packets lost", value: percent(netLossPct), level: level("lossPct", netLossPct) },
    uptimeS !== null && { name: "Up for", value: durationText(uptimeS * SECOND) },
  ];
  return values.filter((value) => value !== false);
}
