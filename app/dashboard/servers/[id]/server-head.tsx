import { type Adjacent, type FleetQuery, fleetPath, serverInList } from "@/app/dashboard/fleet-query";
import { Copied } from "@/app/ui/copied";
import { Ip } from "@/app/ui/ip";
import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { OnlineState } from "@/app/ui/online-state";
import { PageHeader } from "@/app/ui/page-header";
import { Time } from "@/app/ui/time";
import { momentText } from "@/lib/format/relative-time";
import { zoneText } from "@/lib/format/time-zone";
import { API_REFERENCE, serverSettingsPath } from "@/lib/page-paths";
import type { Unwell } from "@/lib/servers/events/days";
import { stabilityCause, worstComponent } from "@/lib/servers/health-breakdown";
import { HEALTH_LEVELS, levelOf } from "@/lib/servers/health-level";
import { LABELS } from "@/lib/servers/health-score";
import type { ServerReport } from "@/lib/servers/servers";
import styles from "./server-view.module.css";

type Props = {
  report: ServerReport;
  /** Null: there is no other server. */
  adjacent: Adjacent | null;
  /** The list that somebody came from. */
  list: FleetQuery;
  zone: string;
  now: Date;
  /** The notices that its owner got about it. */
  children: React.ReactNode;
};

/** The way through the list that somebody came from. */
function Switcher({ adjacent, list }: { adjacent: Adjacent; list: FleetQuery }) {
  const { previous, next, place, count } = adjacent;
  return (
    <nav className="row tight" aria-label="Other servers">
      <span className="hint numbers">
        <span>{place}</span> of <span>{count}</span>
      </span>
      <Link className="button quiet small" href={serverInList(previous.id, list)} rel="prev">
        ‹<span className="visually-hidden">Previous server: {previous.label}</span>
      </Link>
      <Link className="button quiet small" href={serverInList(next.id, list)} rel="next">
        <span className={`cut ${styles.next}`}>{next.label}</span> ›
        <span className="visually-hidden">, the next server</span>
      </Link>
    </nav>
  );
}

/** Which server it is, in what state, and the ways from here. */
export function ServerHead({ report, adjacent, list, zone, now, children }: Props) {
  const { server, hasCheckedIn } = report;
  const unwell = server.online ? report.day.unwell : null;
  return (
    <div className="stack">
      <PageHeader
        title={<Name>{server.label}</Name>}
        back={{ href: fleetPath(list), label: "Servers" }}
        actions={
          <>
            {adjacent && <Switcher adjacent={adjacent} list={list} />}
            <Link className="button quiet small" href={serverSettingsPath(server.id)}>
              Settings
            </Link>
            <ApiMenu report={report} />
          </>
        }
        facts={
          <span className="row close">
            {hasCheckedIn ? <OnlineState isOnline={server.online} /> : <data value="false">Never checked in</data>}
            {hasCheckedIn && (
              <span>
                last seen <Time at={new Date(server.last_seen)} now={now} />
              </span>
            )}
            {unwell ? <strong data-since>{sinceText(report, unwell, zone)}</strong> : <Unstable report={report} />}
          </span>
        }
      />
      <div className={`row text-md ${styles.facts}`}>
        <dl className="row">
          <Reported name="Hostname" text={server.hostname} />
          <Reported name="Public ip" text={server.public_ip}>
            {server.public_ip && <Ip ip={server.public_ip} />}
          </Reported>
          <div className="pair">
            <dt>Added</dt>
            <dd>
              <Time at={new Date(server.created_at)} now={now} />
            </dd>
          </div>
        </dl>
        {children}
      </div>
    </div>
  );
}

/** "Needs attention: offline 2 times, 3 restarts in 24 hours" of a server that these alone make need it. */
function Unstable({ report: { need, health, day } }: { report: ServerReport }) {
  const cause = need === "attention" && stabilityText(health, day);
  return cause && <strong>Needs attention: {cause}</strong>;
}

/** "offline 2 times, 3 restarts in 24 hours", where that says most. */
function stabilityText(...facts: Parameters<typeof stabilityCause>): string | null {
  const cause = stabilityCause(...facts);
  return cause && `${cause[0]?.toLowerCase()}${cause.slice(1)} in 24 hours`;
}

/** "Strained since 22 Nov, 14:10 UTC (memory)"; before it is known that it stays critical, "Critical, strained since …". */
function sinceText({ health, day }: ServerReport, { at, level }: Unwell, zone: string): string {
  const words = { strained: "Strained", critical: "Critical" };
  const isWorse = level === "strained" && levelOf(health.score) === "critical";
  const word = isWorse ? "Critical, strained" : words[level];
  const cause = stabilityText(health, day) ?? LABELS[worstComponent(health)].toLowerCase();
  return `${word} since ${momentText(new Date(at), zone)} ${zoneText(zone)} (${cause === "cpu" ? "CPU" : cause})`;
}

/** What programs need of this server: its id, its path, and the notes on its score as the API says them. */
function ApiMenu({ report: { server, health, hasCheckedIn } }: { report: ServerReport }) {
  return (
    <details className="menu">
      <summary className="button quiet small">API</summary>
      <div className={`card ${styles.panel}`}>
        <dl className={`row text-md ${styles.facts}`}>
          <Reported name="Id" text={String(server.id)} />
          <Reported name="Path" text={`/api/v1/servers/${server.id}`} />
        </dl>
        {hasCheckedIn && (
          <ul className="bullets text-md" aria-label="Notes on the score">
            {health.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        )}
        <p className="hint">
          {`Scores are ${HEALTH_LEVELS.map(({ name, from }) => `${name} from ${from} up`).join(", ")}. `}
          <a href={`${API_REFERENCE}#health-score`}>How the score comes about</a>
        </p>
      </div>
    </details>
  );
}

function Reported({ name, text, children }: { name: string; text: string | null; children?: React.ReactNode }) {
  const what = name.toLowerCase();
  return (
    <div className="pair">
      <dt>{name}</dt>
      <dd>
        {text ? (
          <Copied id={`copied-${what.replaceAll(" ", "-")}`} text={text} what={what}>
            {children}
          </Copied>
        ) : (
          "Not reported"
        )}
      </dd>
    </div>
  );
}
