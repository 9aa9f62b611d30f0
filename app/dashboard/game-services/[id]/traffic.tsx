import { Fragment } from "react";
import { ChartGrid } from "@/app/ui/chart/chart-grid";
import type { ChartSeries } from "@/app/ui/chart/series";
import { TimeChart } from "@/app/ui/chart/time-chart";
import { Choices } from "@/app/ui/choices";
import { Section } from "@/app/ui/section";
import { Time } from "@/app/ui/time";
import { ValueStrip } from "@/app/ui/value-strip";
import type { MetricRange } from "@/lib/api/schemas";
import { type Counter, MEANINGS } from "@/lib/game-services/counters";
import type { NodeState } from "@/lib/game-services/details";
import {
  droppedShare,
  type LatencySeries,
  TRAFFIC_RANGES,
  type Traffic as TrafficData,
} from "@/lib/game-services/traffic";
import { servicePath } from "@/lib/page-paths";
import { counted, percent, quantity, type Unit } from "@/lib/quantities";
import { DAY, HOUR, MINUTE } from "@/lib/time";
import { zoneText } from "@/lib/time-zone";

/** `row` is the time that one row of a table covers, in milliseconds. */
const RANGES: Readonly<Record<MetricRange, { name: string; row: number }>> = {
  "1h": { name: "1 hour", row: 5 * MINUTE },
  "24h": { name: "24 hours", row: HOUR },
  "7d": { name: "7 days", row: DAY / 2 },
};

const CHARTS: readonly { counter: Counter; title: string; unit: Unit }[] = [
  { counter: "connections", title: "Connections a minute", unit: "number" },
  { counter: "packets", title: "Packets a minute", unit: "number" },
  { counter: "bytes", title: "Bytes a minute", unit: "bytes" },
  { counter: "dropped", title: "Dropped a minute", unit: "number" },
];

const MEANT: readonly (readonly [name: string, counter: keyof typeof MEANINGS])[] = [
  ...CHARTS.map(({ counter, title }) => [title.replace(" a minute", ""), counter] as const),
  ["Latency", "latency"],
];

type Props = {
  serviceId: number;
  /** The chosen node. Null means all nodes together. */
  nodeId: number | null;
  traffic: TrafficData;
  /** One series for each node. Null when there are too many nodes. */
  latencies: LatencySeries[] | null;
  names: ReadonlyMap<number, string>;
  states: readonly NodeState[];
  now: Date;
  zone: string;
};

/** What the edge nodes counted, in numbers and charts. */
export function Traffic({ serviceId, nodeId, traffic, latencies, names, states, now, zone }: Props) {
  const nameOf = (id: number) => names.get(id) ?? `Node ${id}`;
  const path = (range: string, node: number | null) =>
    `${servicePath(serviceId)}?range=${range}${node === null ? "" : `&node=${node}`}`;
  const counting = new Set(traffic.nodes.map((node) => node.nodeId));
  const silent = states.filter(({ id, isLive }) => !isLive && counting.has(id));
  return (
    <Section
      id="traffic"
      title="Traffic"
      aside={
        <Choices
          label="Time shown"
          choices={TRAFFIC_RANGES.map((range) => ({
            href: path(range, nodeId),
            name: RANGES[range].name,
            isCurrent: range === traffic.range,
          }))}
        />
      }
    >
      {traffic.nodes.length > 1 && (
        <Choices
          label="Edge node"
          choices={[null, ...counting].map((id) => ({
            href: path(traffic.range, id),
            name: id === null ? "All nodes" : nameOf(id),
            isCurrent: id === nodeId,
          }))}
        />
      )}
      {silent.map(({ id, name, lastHeardAt }) => (
        <p key={id} className="notice warning">
          <span>
            <strong>
              <bdi>{name}</bdi> is silent
            </strong>
            {lastHeardAt && (
              <>
                : it was last heard <Time at={lastHeardAt} now={now} />
              </>
            )}
            . What it counts since then is missing here.
          </span>
        </p>
      ))}
      <Totals traffic={traffic} />
      {Boolean(traffic.asked.answered) && (
        <p className="hint">
          Edge nodes answered {counted(traffic.asked.answered ?? 0, "status ping")} themselves: while the origin was
          away, and above 20 a second. They are not connections.
        </p>
      )}
      {traffic.nodes.length === 0 ? (
        <p className="soft">No edge node has counted anything in this time.</p>
      ) : (
        <Charts
          {...{ traffic, latencies, zone }}
          name={nodeId === null ? "All nodes" : nameOf(nodeId)}
          nameOf={nameOf}
        />
      )}
    </Section>
  );
}

type ChartsProps = Pick<Props, "traffic" | "latencies" | "zone"> & { name: string; nameOf: (id: number) => string };

function Charts({ traffic, latencies, zone, name, nameOf }: ChartsProps) {
  return (
    <>
      <ChartGrid>
        {CHARTS.map(({ counter, title, unit }) => (
          <Chart
            key={counter}
            {...{ traffic, title, unit, zone }}
            series={[
              {
                name,
                points: traffic.points.map((point) => ({ ...point[counter], at: point.at + traffic.step / 2 })),
              },
            ]}
          />
        ))}
        {latencies === null ? (
          <p className="soft">Choose an edge node to see its latency over time.</p>
        ) : (
          <Chart
            {...{ traffic, zone }}
            title="Latency to the origin"
            unit="milliseconds"
            series={latencies.map(({ nodeId: id, points }) => ({
              name: nameOf(id),
              points: points.map((point) => ({ ...point, at: point.at + traffic.step / 2 })),
            }))}
          />
        )}
      </ChartGrid>
      <p className="hint">
        Lines are means of minutes, bands reach from the least to the greatest minute. Times in {zoneText(zone)}.
      </p>
      <details>
        <summary>What is counted</summary>
        <dl className="card card-body">
          {MEANT.map(([name, counter]) => (
            <Fragment key={counter}>
              <dt>
                <strong>{name}</strong>
              </dt>
              <dd className="soft">{MEANINGS[counter]}.</dd>
            </Fragment>
          ))}
        </dl>
      </details>
    </>
  );
}

type ChartProps = { traffic: TrafficData; title: string; unit: Unit; series: readonly ChartSeries[]; zone: string };

function Chart({ traffic: { range, from, to, step }, title, unit, series, zone }: ChartProps) {
  return (
    <TimeChart {...{ title, from, to, step, unit, series, zone }} top={1} gap={1.5 * step} row={RANGES[range].row} />
  );
}

function Totals({ traffic: { totals, asked } }: { traffic: TrafficData }) {
  const share = droppedShare(totals);
  const { latency } = totals;
  const exact = (counter: Counter, unit: Unit) => (
    <data value={totals[counter]} title={totals[counter].toLocaleString("en")}>
      {quantity(totals[counter], unit)}
    </data>
  );
  return (
    <ValueStrip
      values={[
        {
          name: "Players now",
          value: asked.players === null ? "–" : <data value={asked.players}>{quantity(asked.players, "number")}</data>,
          detail: asked.players === null && "not reported",
        },
        {
          name: "Connections",
          value: exact("connections", "number"),
          detail:
            asked.joins !== null &&
            asked.pings !== null &&
            `${counted(asked.joins, "join")}, ${counted(asked.pings, "status ping")}`,
        },
        { name: "Packets", value: exact("packets", "number") },
        { name: "Bytes", value: exact("bytes", "bytes") },
        {
          name: "Dropped",
          value: exact("dropped", "number"),
          detail: share !== null && `${percent(share)} of all sessions`,
        },
        {
          name: "Latency",
          value: latency === null ? "–" : quantity(latency.least, "milliseconds"),
          detail: latency === null ? "not measured" : `to ${quantity(latency.greatest, "milliseconds")}`,
        },
      ]}
    />
  );
}
