import Link from "next/link";
import { CopyButton } from "@/app/ui/copy-button";
import { Ip } from "@/app/ui/ip";
import { OnlineState } from "@/app/ui/online-state";
import { PageHeader } from "@/app/ui/page-header";
import { Time } from "@/app/ui/time";
import { DASHBOARD, serverPath, serverSettingsPath } from "@/lib/page-paths";
import type { Neighbours } from "@/lib/servers/neighbours";
import type { ServerReport } from "@/lib/servers/servers";
import styles from "./server-view.module.css";

type Props = { report: ServerReport; neighbours: Neighbours; now: Date };

/** Which server it is, in what state, and the ways from here. */
export function ServerHead({ report: { server, hasCheckedIn }, neighbours: { previous, next }, now }: Props) {
  return (
    <div className={styles.head}>
      <PageHeader
        title={<bdi>{server.label}</bdi>}
        back={{ href: DASHBOARD, label: "Servers" }}
        actions={
          <>
            {previous && next && (
              <nav className={styles.switcher} aria-label="Other servers">
                <Link className="button quiet small" href={serverPath(previous.id)} prefetch={false} rel="prev">
                  ‹<span className="visually-hidden">Previous server: {previous.label}</span>
                </Link>
                <Link className="button quiet small" href={serverPath(next.id)} prefetch={false} rel="next">
                  <span className={styles.next}>{next.label}</span> ›
                  <span className="visually-hidden">, the next server</span>
                </Link>
              </nav>
            )}
            <Link className="button quiet small" href={serverSettingsPath(server.id)} prefetch={false}>
              Settings
            </Link>
          </>
        }
        facts={
          <span className={styles.state}>
            {hasCheckedIn ? <OnlineState isOnline={server.online} /> : <data value="false">Never checked in</data>}
            <span>
              {hasCheckedIn ? "last seen" : "· added"} <Time at={new Date(server.last_seen)} now={now} />
            </span>
          </span>
        }
      />
      <dl className={styles.facts}>
        <Copied name="Hostname" text={server.hostname} />
        {server.public_ip === null ? (
          <div>
            <dt>Public ip</dt>
            <dd>Not reported</dd>
          </div>
        ) : (
          <Copied name="Public ip" text={server.public_ip}>
            <Ip ip={server.public_ip} />
          </Copied>
        )}
        <Copied name="Id" text={String(server.id)} />
        <div>
          <dt>Added</dt>
          <dd>
            <Time at={new Date(server.created_at)} now={now} />
          </dd>
        </div>
      </dl>
    </div>
  );
}

function Copied({ name, text, children }: { name: string; text: string; children?: React.ReactNode }) {
  const id = `copied-${name.toLowerCase().replaceAll(" ", "-")}`;
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <bdi id={id}>{children ?? text}</bdi> <CopyButton text={text} what={name.toLowerCase()} sourceId={id} isSmall />
      </dd>
    </div>
  );
}
