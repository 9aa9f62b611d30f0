import Link from "next/link";
import { DASHBOARD, serverSettingsPath } from "@/app/paths";
import { BackLink } from "@/app/ui/back-link";
import { OnlineState } from "@/app/ui/online-state";
import { Time } from "@/app/ui/time";
import type { ServerDetail } from "@/lib/api/schemas";
import { listBenchmarkPage, listOpenBenchmarks } from "@/lib/servers/benchmarks";
import { getServerReport } from "@/lib/servers/servers";
import { getHistory, type HistoryRange } from "@/lib/servers/telemetry/history";
import { findTwoDaemons } from "@/lib/servers/telemetry/two-daemons";
import { Benchmarks } from "./benchmarks";
import { Facts } from "./facts";
import { Health } from "./health";
import { History } from "./history";
import { LatestSample } from "./latest-sample";
import { orNotFoundPage } from "./or-not-found-page";
import styles from "./server-view.module.css";

type Props = {
  accountId: number;
  /** The text of the path. */
  id: string;
  range: HistoryRange;
  /** Of the finished benchmark runs. */
  runsPage: number;
  /** The zone of the times. */
  zone: string;
};

/** One server exactly as the API answers it, and how it was before. */
export async function ServerView({ accountId, id, range, runsPage, zone }: Props) {
  const [{ server, scoreAt }, history] = await orNotFoundPage(
    Promise.all([getServerReport(accountId, id), getHistory(accountId, id, range)]),
  );
  const now = new Date();
  const [twoDaemonsAt, openRuns, finished] = await Promise.all([
    findTwoDaemons(accountId, server.id, now),
    listOpenBenchmarks(accountId, server.id, now),
    listBenchmarkPage(accountId, server.id, runsPage),
  ]);
  return (
    <article className={styles.server} data-server={server.id}>
      <Head server={server} now={now} />
      {twoDaemonsAt && (
        <p className="notice warning">
          <span>
            <strong>Two daemons report for this server with the same key</strong>, last noticed{" "}
            <Time at={twoDaemonsAt} now={now} />. What is shown is a mixture of two machines. Stop one of the daemons,
            or{" "}
            <Link href={serverSettingsPath(server.id)} prefetch={false}>
              replace the key
            </Link>{" "}
            and give the new one to this server only.
          </span>
        </p>
      )}
      <Health score={server.score} components={server.score_components} notes={server.score_notes} />
      <div className={styles.columns}>
        <LatestSample serverId={server.id} sample={server.latest_sample} now={now} />
        <Facts facts={server.facts} />
      </div>
      <History serverId={server.id} {...{ history, scoreAt, now: now.getTime(), zone }} />
      <Benchmarks serverId={server.id} range={range} finished={finished} open={openRuns} now={now} />
    </article>
  );
}

function Head({ server, now }: { server: ServerDetail; now: Date }) {
  return (
    <header className={styles.head}>
      <div className={styles.names}>
        <BackLink href={DASHBOARD}>Servers</BackLink>
        <h1>
          <bdi>{server.label}</bdi>
        </h1>
        <bdi className={styles.hostname}>{server.hostname}</bdi>
      </div>
      <Link className="button quiet" href={serverSettingsPath(server.id)} prefetch={false}>
        Settings
      </Link>
      <dl className={styles.facts}>
        <div>
          <dt>State</dt>
          <dd>
            <OnlineState isOnline={server.online} />
          </dd>
        </div>
        <div>
          <dt>Last seen</dt>
          <dd>
            <Time at={new Date(server.last_seen)} now={now} />
          </dd>
        </div>
        <div>
          <dt>Public ip</dt>
          <dd>{server.public_ip ?? <span className="soft">Not reported</span>}</dd>
        </div>
        <div>
          <dt>Added</dt>
          <dd>
            <Time at={new Date(server.created_at)} now={now} />
          </dd>
        </div>
      </dl>
    </header>
  );
}
