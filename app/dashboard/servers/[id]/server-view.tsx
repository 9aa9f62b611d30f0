import { fleetOf } from "@/app/dashboard/fleet-data";
import { adjacentOf, listOf, pageNumber, parseFleetQuery } from "@/app/dashboard/fleet-query";
import { orNotFoundPage } from "@/app/dashboard/or-not-found-page";
import type { Query } from "@/app/ui/chart/asked-time";
import { Link } from "@/app/ui/link";
import { pageOrigin } from "@/app/ui/page-origin";
import { Time } from "@/app/ui/time";
import { noticesOf } from "@/lib/notices/of-server";
import { serverSettingsPath } from "@/lib/page-paths";
import { listBenchmarks, listOpenBenchmarks } from "@/lib/servers/benchmarks";
import { listEvents } from "@/lib/servers/events/events";
import { getAvailability } from "@/lib/servers/events/uptime";
import { getServerReport } from "@/lib/servers/servers";
import { getEarlierHistory, getHistory } from "@/lib/servers/telemetry/history";
import { requireAccount } from "@/lib/sign-in/sessions";
import { Benchmarks } from "./benchmarks";
import { CurrentValues } from "./current-values";
import { Facts } from "./facts";
import { Health } from "./health";
import { History } from "./history";
import { historyTime } from "./history-time";
import { ServerHead } from "./server-head";
import { ServerNotices } from "./server-notices";
import styles from "./server-view.module.css";
import { SetUp } from "./set-up";
import { spanText } from "./silence-text";
import { Uptime, UptimeDays } from "./uptime";

type Props = {
  /** The text of the path. */
  id: string;
  /** Says which time and which page of the finished benchmark runs is shown, and the list that somebody came from. */
  query: Query;
};

/** One server as the API answers it: what it is like now, why, how it was before, and what is known of the machine. */
export async function ServerView({ id, query }: Props) {
  const { id: accountId, timeZone: zone } = await requireAccount();
  const time = historyTime(query, zone);
  const list = listOf(parseFleetQuery(query));
  const report = await orNotFoundPage(getServerReport(accountId, id));
  // One moment for what it is and what happened, so that both say the same.
  const { server, now: at, hasCheckedIn, health, refusal } = report;
  const now = new Date(at);
  const history = await getHistory(server.id, time.shown, at);
  const [earlier, openRuns, { benchmarks }, fleet, events, goingOn, availability, notices] = await Promise.all([
    time.compare && getEarlierHistory(server.id, history, time.compare),
    listOpenBenchmarks(accountId, server.id, now),
    orNotFoundPage(listBenchmarks(accountId, id)),
    fleetOf(accountId),
    listEvents(server.id, { from: history.since, to: history.until + 1 }),
    listEvents(server.id, { from: at, to: at + 1 }),
    getAvailability(server.id, at),
    noticesOf(accountId, server.id, now),
  ]);
  const uptime = { serverId: server.id, availability, zone };
  const twoDaemons = goingOn.find(({ kind, to }) => kind === "two_daemons" && to === null);
  return (
    <article className="stack loose breaks" data-server={server.id}>
      <ServerHead adjacent={adjacentOf(server.id, fleet, list)} {...{ report, list, zone, now }}>
        <ServerNotices serverId={server.id} notices={notices} zone={zone} />
      </ServerHead>
      {refusal && <Refused {...refusal} now={at} zone={zone} />}
      {twoDaemons && <TwoDaemons serverId={server.id} since={new Date(twoDaemons.from)} now={now} />}
      {hasCheckedIn && <UptimeDays {...uptime} list={list} />}
      <CurrentValues report={report} now={now} />
      {hasCheckedIn ? (
        <>
          <div className={`stack loose ${styles.beside}`}>
            <Health report={report} zone={zone} />
            <Uptime {...uptime} />
          </div>
          <History
            serverId={server.id}
            current={report.current}
            score={health.score}
            {...{ history, earlier, time, events, availability, list, zone }}
          />
        </>
      ) : (
        <SetUp serverId={server.id} origin={await pageOrigin()} />
      )}
      <Benchmarks
        serverId={server.id}
        time={time.params}
        finished={benchmarks}
        open={openRuns}
        asked={pageNumber(query.runs)}
        {...{ list, now }}
      />
      <Facts server={server} current={report.current} />
    </article>
  );
}

function Refused({ reason, since, now, zone }: { reason: string; since: number; now: number; zone: string }) {
  return (
    <p className="notice warning">
      <span>
        <strong>What is sent for this server is not used</strong>, {spanText({ from: since, to: null }, now, zone)}:{" "}
        <bdi>{reason}</bdi>
      </span>
    </p>
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
