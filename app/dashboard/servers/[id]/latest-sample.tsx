import Link from "next/link";
import { serverSettingsPath } from "@/app/paths";
import { Time } from "@/app/ui/time";
import type { ServerDetail } from "@/lib/api/schemas";
import { megabytes, percent } from "@/lib/quantities";
import { Details } from "./details";
import { Section } from "./section";

type Props = { serverId: number; sample: ServerDetail["latest_sample"]; now: Date };

/** The latest telemetry sample; a measurement that the daemon did not make is not there. */
export function LatestSample({ serverId, sample, now }: Props) {
  return (
    <Section id="sample" title="Latest sample">
      {sample === null ? (
        <p className="soft">
          No telemetry sample has arrived yet. A daemon needs the server&apos;s key to report; a new one, and the lines
          that install the daemon, are in the{" "}
          <Link href={serverSettingsPath(serverId)} prefetch={false}>
            settings
          </Link>
          .
        </p>
      ) : (
        <Details
          rows={[
            ["Measured", <Time key="ts" at={new Date(sample.ts)} now={now} />],
            ...(sample.cpu_pct === undefined
              ? []
              : [
                  [
                    "CPU",
                    <data key="cpu" value={sample.cpu_pct} data-field="cpu_pct">
                      {percent(sample.cpu_pct)}
                    </data>,
                  ] as const,
                ]),
            ...(sample.mem_used_mb === undefined
              ? []
              : [
                  [
                    "Memory used",
                    <data key="memory" value={sample.mem_used_mb} data-field="mem_used_mb">
                      {megabytes(sample.mem_used_mb)}
                    </data>,
                  ] as const,
                ]),
          ]}
        />
      )}
    </Section>
  );
}
