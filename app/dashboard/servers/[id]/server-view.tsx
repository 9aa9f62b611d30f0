import { fleetOf } from "@/app/dashboard/fleet-data";
import { adjacentOf, type FleetQuery } from "@/app/dashboard/fleet-query";
import { orNotFoundPage } from "@/app/dashboard/or-not-found-page";
import { Link } from "@/app/ui/link";
import { pageOrigin } from "@/app/ui/page-origin";
import { Time } from "@/app/ui/time";
import { DAY } from "@/lib/format/time";
import { noticesOf } from "@/lib/notices/of-server";
import { serverSettingsPath } from "@/lib/page-paths";
import { listBenchmarkPage, listOpenBenchmarks } from "@/lib/servers/benchmarks";
import { listServerEvents } from "@/lib/servers/events/server-events";
import { listUnwellSince } from "@/lib/servers/events/unwell-since";
import { UPTIME_RANGES, withoutMaintenance } from "@/lib/servers/events/uptime";
import { listUptimeSums } from "@/lib/servers/events/uptime-sums";
import { isRatedWell } from "@/lib/servers/health-level";
import { getServerReport } from "@/lib/servers/servers";
import { getEarlierHistory, getHistory } from "@/lib/servers/telemetry/history";
import { Benchmarks } from "./benchmarks";
import { CurrentValues } from "./current-values";
import { Facts } from "./facts";
import { Health } from "./health";
import { History } from "./history";
import type { HistoryTime } from "./history-time";
import { ServerHead } from "./server-head";
import { ServerNotices } from "./server-notices";
import styles from "./server-view.module.css";
import { SetUp } from "./set-up";
import { STRIP_DAYS, Uptime, UptimeDays } from "./uptime";

type Props = {
  accountId: number;
  /** The text of the path. */
  id: string;
  time: HistoryTime;
  /** Of the finished benchmark runs. */
  runsPage: number;
  /** The list that somebody came from. */
  list: FleetQuery;
  /** The zone of the times. */
  zone: string;
};

/** One server as the API answers it: what it is like now, why, how it was before, and what is known of the machine. */
export async function ServerView({ accountId, id, time, runsPage, list, zone }: Props) {
  // One moment for what it is and what happened, so that both say the same.
  const now = new Date();
  const at = now.getTime();
  const [report, history] = await orNotFoundPage(
    Promise.all([getServerReport(accountId, id, at), getHistory(accountId, id, time.shown, at)]),
  );
  const { server, hasCheckedIn, need, health } = report;
  const isRatedBadly = need === "attention" && !isRatedWell({ score: health.score, components: health.components });
  const [earlier, openRuns, finished, fleet, since, events, days, months, notices] = await Promise.all([
    time.compare && getEarlierHistory(accountId, id, history, time.compare),
    listOpenBenchmarks(accountId, server.id, now),
    listBenchmarkPage(accountId, server.id, runsPage),
    fleetOf(accountId),
    listUnwellSince(isRatedBadly ? [server.id] : []),
    listServerEvents(server.id, { from: Math.min(history.from, at - UPTIME_RANGES["365 days"]), to: at + 1 }, at),
    listUptimeSums(server.id, "day", at - (STRIP_DAYS + 1) * DAY),
    listUptimeSums(server.id, "month", 0),
    noticesOf(accountId, server.id, now),
  ]);
  const known = withoutMaintenance(events.silences, events.maintenance);
  const uptime = { serverId: server.id, recordedSince: events.recordedSince, known, now: at, zone };
  const twoDaemons = events.others.find(({ kind, to }) => kind === "two_daemons" && to === null);
  return (
    <article className={`stack loose ${styles.server}`} data-server={server.id}>
      <ServerHead
        adjacent={adjacentOf(server.id, fleet, list)}
        since={since.get(server.id) ?? null}
        {...{ report, list, zone, now }}
      >
        <ServerNotices serverId={server.id} notices={notices} zone={zone} />
      </ServerHead>
      {twoDaemons && <TwoDaemons serverId={server.id} since={new Date(twoDaemons.from)} now={now} />}
      {hasCheckedIn && <UptimeDays {...uptime} {...{ list, days }} />}
      <CurrentValues report={report} now={now} />
      {hasCheckedIn ? (
        <>
          <div className={`stack loose ${styles.beside}`}>
            <Health report={report} zone={zone} />
            <Uptime {...uptime} months={months} />
          </div>
          <History
            serverId={server.id}
            current={report.current}
            score={health.score}
            {...{ history, earlier, time, events, known, list, zone }}
          />
        </>
      ) : (
        <SetUp serverId={server.id} origin={await pageOrigin()} />
      )}
      <Benchmarks serverId={server.id} time={time.params} list={list} finished={finished} open={openRuns} now={now} />
      <Facts server={server} current={report.current} />
    </article>
  );
}

function TwoDaemons({ serverId, since, now }: { serverId: number; since: Date; now: Date }) {
  return (
    <p className="notice warning">
      <span>
        <strong>Two daemons report for this server with the same key</strong>, first noticed{" "}
        <Time at={since} now={now} />. What is shown is a mixture of two machines. Stop one of the daemons, or{" "}
        <Link href={serverSettingsPath(serverId)}>replace the key</Link> and give the new one to this server only.
      </span>
    </p>
  );
}
