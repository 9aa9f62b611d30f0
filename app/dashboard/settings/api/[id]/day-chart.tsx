import { API_REQUESTS } from "@/lib/rate-limit/policy";
import { MINUTE } from "@/lib/time";
import type { DayOfUse, HourOfUse } from "@/lib/tokens/activity";
import styles from "./day-chart.module.css";

const HEIGHT = 80;
const BAR = 10;
const STEP = 12;
/** Requests in a minute that are answered. */
const LIMIT = (API_REQUESTS.limit * MINUTE) / API_REQUESTS.windowMs;

/** Requests by hour, the refused ones on top, with the numbers in a table. */
export function DayChart({ day }: { day: DayOfUse }) {
  const { total, peak, hours } = day;
  if (total.requests + total.refused === 0) return <p className="soft">No request in the last 24 hours.</p>;
  const most = Math.max(...hours.map(({ requests, refused }) => requests + refused));
  return (
    <figure className={styles.chart}>
      <figcaption>
        {number(total.requests - total.limited)} answered, {number(total.limited)} refused over the limit (429)
        {total.refused > 0 && `, ${number(total.refused)} refused after its end (401)`}. Busiest minute:{" "}
        {peak > LIMIT
          ? `${number(peak)} requests, of which the limit answers ${LIMIT}.`
          : `${number(peak)} of ${LIMIT} requests.`}
      </figcaption>
      <svg
        className={styles.bars}
        viewBox={`0 0 ${STEP * hours.length - (STEP - BAR)} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Requests in each of the last 24 hours, at most ${most.toLocaleString("en")}`}
      >
        {hours.map((hour, index) => (
          <Bar key={hour.hour.getTime()} hour={hour} x={index * STEP} scale={HEIGHT / most} />
        ))}
      </svg>
      <details className={styles.numbers}>
        <summary>The numbers</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Hour (UTC)</th>
              <th scope="col">Requests</th>
              <th scope="col">Over the limit (429)</th>
              <th scope="col">After its end (401)</th>
            </tr>
          </thead>
          <tbody>
            {hours.map(({ hour, requests, limited, refused }) => (
              <tr key={hour.getTime()}>
                <th scope="row">{hour.toISOString().slice(11, 16)}</th>
                <td>{requests.toLocaleString("en")}</td>
                <td>{limited.toLocaleString("en")}</td>
                <td>{refused.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
      <p className="hint">Counted about once a minute, and not exact to the request.</p>
    </figure>
  );
}

function Bar({ hour, x, scale }: { hour: HourOfUse; x: number; scale: number }) {
  const { requests, limited, refused } = hour;
  const parts = [
    { className: styles.answered, of: Math.max(0, requests - limited) },
    { className: styles.refused, of: limited + refused },
  ];
  let y = HEIGHT;
  return parts.map(({ className, of }) => {
    y -= of * scale;
    return of > 0 && <rect key={className} className={className} x={x} y={y} width={BAR} height={of * scale} />;
  });
}

function number(value: number): string {
  return value.toLocaleString("en");
}
