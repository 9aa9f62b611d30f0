import { scaleLinear } from "d3-scale";
import chart from "@/app/ui/chart/chart.module.css";
import { ChartCursor } from "@/app/ui/chart/chart-cursor";
import { NumbersTable } from "@/app/ui/chart/numbers-table";
import { TextRows } from "@/app/ui/chart/text-rows";
import { TimeAxis } from "@/app/ui/chart/time-axis";
import { timeTicks } from "@/app/ui/chart/time-ticks";
import { momentText } from "@/lib/format/relative-time";
import { HOUR, MINUTE } from "@/lib/format/time";
import { zoneText } from "@/lib/format/time-zone";
import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { requireAccount } from "@/lib/sign-in/sessions";
import type { DayOfUse, HourOfUse } from "@/lib/tokens/activity";
import styles from "./day-chart.module.css";

const HEIGHT = 80;
const BAR = 10;
const STEP = 12;
/** Requests in a minute that are answered. */
export const LIMIT = (API_REQUESTS.limit * MINUTE) / API_REQUESTS.windowMs;

/** What each kind of request is called, in the key, at the cursor and in the table, and how its bars look. */
const KINDS: readonly { name: string; look: string | undefined; countOf: (hour: HourOfUse) => number }[] = [
  { name: "Answered", look: "good", countOf: ({ requests, limited }) => Math.max(0, requests - limited) },
  { name: "Over the limit (429)", look: "danger", countOf: ({ limited }) => limited },
  { name: "Refused (401)", look: styles.refused, countOf: ({ refused }) => refused },
];

const number = (value: number) => value.toLocaleString("en");

/** Requests by hour, the refused ones on top, with the numbers in a table. */
export async function DayChart({ day: { total, peak, hours } }: { day: DayOfUse }) {
  const { timeZone: zone } = await requireAccount();
  if (total.requests + total.refused === 0) return <p className="soft">No request in the last 24 hours.</p>;
  const rows = hours.map((hour) => [momentText(hour.hour, zone), ...KINDS.map(({ countOf }) => number(countOf(hour)))]);
  return (
    <figure className="card stack tight inset">
      <figcaption>
        {total.requests > 0 &&
          `${number(total.requests - total.limited)} answered, ${number(total.limited)} refused over the limit (429)`}
        {total.requests > 0 && total.refused > 0 && ", "}
        {total.refused > 0 && `${number(total.refused)} refused (401)`}.
        {total.requests > 0 && ` Busiest minute: ${peakText(peak)}`}
      </figcaption>
      <Bars hours={hours} zone={zone} />
      <NumbersTable title="Requests" caption="Requests by hour">
        <thead>
          <tr>
            {["From", ...KINDS.map(({ name }) => name)].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <TextRows text={rows.map((row) => row.join("\t")).join("\n")} />
      </NumbersTable>
      <p className="hint">Counted about once a minute, and not exact to the request. {`Times in ${zoneText(zone)}.`}</p>
    </figure>
  );
}

function peakText(peak: number): string {
  return peak > LIMIT
    ? `${number(peak)} requests, of which the limit answers ${LIMIT}.`
    : `${number(peak)} of ${LIMIT} requests.`;
}

/** The bars with their axes, in the look of the charts of servers, and a key of the kinds that they show. */
function Bars({ hours, zone }: { hours: readonly HourOfUse[]; zone: string }) {
  const shown = KINDS.filter(({ countOf }) => hours.some((hour) => countOf(hour) > 0));
  const most = Math.max(...hours.map(({ requests, refused }) => requests + refused));
  const y = scaleLinear().domain([0, most]).range([HEIGHT, 0]).nice(3);
  // Requests are whole.
  const ticks = y.ticks(3).filter(Number.isInteger);
  const from = hours[0]?.hour.getTime() ?? 0;
  const to = from + hours.length * HOUR;
  const pointOf = (at: number, count: number) => ({ at: at + HOUR / 2, least: count, mean: count, greatest: count });
  return (
    <>
      <div className={`${chart.frame} ${styles.frame}`}>
        <svg className={chart.scale} aria-hidden="true">
          {ticks.map((tick) => (
            <text key={tick} x="100%" y={`${(y(tick) / HEIGHT) * 100}%`} dy="0.32em" textAnchor="end">
              {number(tick)}
            </text>
          ))}
        </svg>
        <div className={chart.plot}>
          <TimeAxis ticks={timeTicks(from, to, zone)} />
          <svg
            className={chart.layer}
            viewBox={`0 0 ${STEP * hours.length} ${HEIGHT}`}
            preserveAspectRatio="none"
            role="img"
            aria-label={`Requests in each of the last 24 hours, at most ${number(most)}`}
          >
            {ticks.map((tick) => (
              <line key={tick} className={chart.grid} x1="0" x2={STEP * hours.length} y1={y(tick)} y2={y(tick)} />
            ))}
            {hours.map((hour, index) => (
              <Bar key={hour.hour.getTime()} hour={hour} x={index * STEP + 1} scale={(HEIGHT - y(most)) / most} />
            ))}
          </svg>
          <ChartCursor
            title="Requests"
            {...{ from, to }}
            step={HOUR}
            unit="number"
            silences={[]}
            series={shown.map(({ name, countOf }) => ({
              name,
              points: hours.map((hour) => pointOf(hour.hour.getTime(), countOf(hour))),
            }))}
          />
        </div>
      </div>
      <ul className={`row close text-sm ${styles.key}`}>
        {shown.map(({ name, look }) => (
          <li key={name}>
            <svg viewBox="0 0 10 10" aria-hidden="true">
              <rect className={look} width="10" height="10" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </>
  );
}

function Bar({ hour, x, scale }: { hour: HourOfUse; x: number; scale: number }) {
  let y = HEIGHT;
  return KINDS.map(({ name, look, countOf }) => {
    const height = countOf(hour) * scale;
    y -= height;
    return height > 0 && <rect key={name} className={look} x={x} y={y} width={BAR} height={height} />;
  });
}
