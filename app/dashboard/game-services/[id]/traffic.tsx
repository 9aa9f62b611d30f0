import { Fragment } from "react";
import { ChartGrid } from "@/app/ui/chart/chart-grid";
import { tableRows } from "@/app/ui/chart/chart-table";
import type { ChartSeries } from "@/app/ui/chart/series";
import { type ChartLane, TimeChart } from "@/app/ui/chart/time-chart";
import { timeTicks } from "@/app/ui/chart/time-ticks";
import { comparedText, DragHint, paleLinesText, TimedSection } from "@/app/ui/chart/timed-section";
import { Choices } from "@/app/ui/choices";
import { Name } from "@/app/ui/name";
import { Time } from "@/app/ui/time";
import { ValueStrip } from "@/app/ui/value-strip";
import type { MetricRange } from "@/lib/api/schemas";
import { counted, percent, quantity, type Unit } from "@/lib/format/quantities";
import { clockText, dateText, durationText } from "@/lib/format/relative-time";
import { middleOfStep } from "@/lib/format/time-range";
import { zoneText } from "@/lib/format/time-zone";
import { type Counter, MEANINGS } from "@/lib/game-services/counters";
import type { NodeState } from "@/lib/game-services/details";
import {
  type Band,
  droppedShare,
  type EarlierTraffic,
  type LatencySeries,
  type Traffic as TrafficData,
} from "@/lib/game-services/traffic";
import { servicePath } from "@/lib/page-paths";
import type { TrafficTime } from "./traffic-time";

const NAMES: Readonly<Record<MetricRange, string>> = { "1h": "1 hour", "24h": "24 hours", "7d": "7 days" };

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
  /** Epoch milliseconds. */
  createdAt: number;
  time: TrafficTime;
  /** The chosen node. Null means all nodes together. */
  nodeId: number | null;
  traffic: TrafficData;
  /** The time that it is compared with. */
  earlier: EarlierTraffic | null;
  /** One series for each node. Null when there are too many nodes. */
  latencies: LatencySeries[] | null;
  names: ReadonlyMap<number, string>;
  states: readonly NodeState[];
  now: Date;
  zone: string;
  /** What happened in this time. */
  lane: ChartLane;
};

/** The page of a service with its charts of a time, of one node or of all. */
export function trafficPath(id: number, time: Readonly<Record<string, string>>, node: number | null): string {
  return `${servicePath(id)}?${new URLSearchParams({ ...time, ...(node !== null && { node: String(node) }) })}`;
}

/** What the edge nodes counted, in numbers and charts. */
export function Traffic(props: Props) {
  const { serviceId, createdAt, nodeId, traffic, earlier, time, latencies, names, states, now, zone, lane } = props;
  const nameOf = (id: number) => names.get(id) ?? `Node ${id}`;
  const counting = new Set(traffic.nodeIds);
  const silent = traffic.isNow ? states.filter(({ id, isLive }) => !isLive && counting.has(id)) : [];
  return (
    <TimedSection
      id="traffic"
      title="Traffic"
      ranges={NAMES}
      range={traffic.range}
      path={servicePath(serviceId)}
      kept={nodeId === null ? {} : { node: String(nodeId) }}
      shown={traffic}
      also={beginning(traffic, createdAt, zone)}
      {...{ time, zone }}
    >
      {traffic.nodeIds.length > 1 && (
        <Choices
          label="Edge node"
          choices={[null, ...counting].map((id) => ({
            href: trafficPath(serviceId, time.params, id),
            name: id === null ? "All nodes" : nameOf(id),
            isCurrent: id === nodeId,
          }))}
        />
      )}
      {silent.map((node) => (
        <SilentNode key={node.id} {...node} now={now} />
      ))}
      <Totals traffic={traffic} />
      {Boolean(traffic.asked.answered) && (
        <p className="hint">
          Edge nodes answered {counted(traffic.asked.answered ?? 0, "status ping")} themselves: while the origin was
          away, and above 20 a second. They are not connections.
        </p>
      )}
      {traffic.nodeIds.length === 0 ? (
        <>
          <p className="soft">No edge node has counted anything in this time.</p>
          {lane.words}
        </>
      ) : (
        <Charts
          {...{ traffic, earlier, time, latencies, zone, lane }}
          name={nodeId === null ? "All nodes" : nameOf(nodeId)}
          nameOf={nameOf}
        />
      )}
    </TimedSection>
  );
}

function SilentNode({ name, lastHeardAt, now }: Props["states"][number] & { now: Date }) {
  return (
    <p className="notice warning">
      <span>
        <strong>
          <Name>{name}</Name> is silent
        </strong>
        {lastHeardAt && (
          <>
            : it was last heard <Time at={lastHeardAt} now={now} />
          </>
        )}
        . What it has counted since then is missing here.
      </span>
    </p>
  );
}

type ChartsProps = Pick<Props, "traffic" | "earlier" | "time" | "latencies" | "zone" | "lane"> & {
  name: string;
  nameOf: (id: number) => string;
};

function Charts({ traffic, earlier, time, latencies, zone, lane, name, nameOf }: ChartsProps) {
  const { from, to, step } = traffic;
  const middle = <Point extends { at: number }>(point: Point) => ({ ...point, at: middleOfStep(point.at, step, to) });
  const earlierOf = (points: readonly (Band & { at: number })[] | undefined): ChartSeries["earlier"] =>
    points && { points: points.map(middle), gap: 1.5 * step };
  const drawn = { from, to, step, top: 1, gap: 1.5 * step };
  const compared = comparedText(time.compare);
  const common = { ...drawn, compared, times: timeTicks(from, to, zone), rows: tableRows({ from, to, zone }) };
  return (
    <>
      <ChartGrid>
        {CHARTS.map(({ counter, title, unit }, index) => (
          <TimeChart
            key={counter}
            {...{ ...common, title, unit }}
            lanes={index === 0 ? [lane] : []}
            series={[
              {
                name,
                points: traffic.points.map((point) => middle({ ...point[counter], at: point.at })),
                earlier: earlierOf(earlier?.points.map((point) => ({ ...point[counter], at: point.at }))),
              },
            ]}
          />
        ))}
        {latencies === null ? (
          <p className="soft">Choose an edge node to see its latency over time.</p>
        ) : (
          <TimeChart
            {...common}
            title="Latency to the origin"
            unit="milliseconds"
            series={latencies.map(({ nodeId: id, points }) => ({
              name: nameOf(id),
              points: points.map(middle),
              earlier: earlierOf(earlier?.latencies?.find(({ nodeId }) => nodeId === id)?.points),
            }))}
          />
        )}
      </ChartGrid>
      <p className="hint">
        Lines show means of minutes, bands the range from the lowest to the highest minute. <DragHint />
        {`Each point is ${durationText(step)}. ${paleLinesText(time.compare, earlier)}Times in ${zoneText(zone)}.`}
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

/** What is to be said of a time that begins before the service was created. */
function beginning({ from }: TrafficData, createdAt: number, zone: string): string[] {
  if (from >= createdAt) return [];
  const created = `${dateText(new Date(createdAt), zone)}, ${clockText(new Date(createdAt), zone)} ${zoneText(zone)}`;
  return [`This service was created on ${created}: there is no data before that.`];
}

function Totals({ traffic: { totals, asked, isNow } }: { traffic: TrafficData }) {
  const share = droppedShare(totals);
  const { latency_ms_least: least, latency_ms_greatest: greatest } = totals;
  const exact = (counter: Counter, unit: Unit) => (
    <data translate="no" value={totals[counter]} title={totals[counter].toLocaleString("en")}>
      {quantity(totals[counter], unit)}
    </data>
  );
  return (
    <ValueStrip
      values={[
        ...(isNow ? [playersNow(asked)] : []),
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
          value: least === null ? "–" : quantity(least, "milliseconds"),
          detail: greatest === null ? "not measured" : `to ${quantity(greatest, "milliseconds")}`,
        },
      ]}
    />
  );
}

function playersNow({ players }: TrafficData["asked"]) {
  return {
    name: "Players now",
    value: players === null ? "–" : <data value={players}>{quantity(players, "number")}</data>,
    detail: players === null && "not reported",
  };
}
