import Link from "next/link";
import { serverSettingsPath } from "@/app/paths";
import { Details } from "@/app/ui/details";
import { Time } from "@/app/ui/time";
import type { ServerDetail } from "@/lib/api/schemas";
import { quantity } from "@/lib/quantities";
import { publishedRows } from "@/lib/servers/telemetry/measurements";
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
            ...publishedRows.flatMap(({ name, unit, published: { label } }) => {
              const value = sample[name];
              return value === undefined
                ? []
                : [
                    [
                      label,
                      <data key={name} value={value} data-field={name}>
                        {quantity(value, unit.shownAs)}
                      </data>,
                    ] as const,
                  ];
            }),
          ]}
        />
      )}
    </Section>
  );
}
