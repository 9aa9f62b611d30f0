import { PageForm } from "@/app/ui/page-form";
import { momentText } from "@/lib/format/relative-time";
import { zoneText } from "@/lib/format/time-zone";
import type { ServerNotices as Notices } from "@/lib/notices/of-server";
import { NOTICE_PAGE } from "@/lib/page-paths";
import { snoozeAction } from "../actions";
import styles from "./server-notices.module.css";

const CHANNELS: Readonly<Record<string, string>> = { mail: "mail", webhook: "webhook", discord: "Discord" };

type Props = { serverId: number; notices: Notices; zone: string };

/** Whether its owner was told, and a way to be told nothing for a while. One form: the button says for how long. */
export function ServerNotices({ serverId, notices: { hasChannel, told, snooze }, zone }: Props) {
  if (!hasChannel && told === null && snooze === null) return null;
  const at = (instant: Date) => `${momentText(instant, zone)} ${zoneText(zone)}`;
  return (
    <PageForm className={`row ${styles.line}`} action={snoozeAction} label="Notices of this server">
      <input type="hidden" name="id" value={serverId} />
      {told && <span>{`Told by ${told.by.map((kind) => CHANNELS[kind]).join(" and ")} on ${at(told.at)}.`}</span>}
      {snooze ? (
        <>
          <span>{`Snoozed until ${at(snooze.until)}.`}</span>
          <button type="submit" name="length" value="end" className="button quiet small">
            Tell me again
          </button>
        </>
      ) : (
        <details className={styles.snooze}>
          <summary className="button quiet small">Snooze notices</summary>
          <span className="row tight">
            <button type="submit" name="length" value="1h" className="button quiet small">
              For 1 hour
            </button>
            <button type="submit" name="length" value="8h" className="button quiet small">
              For 8 hours
            </button>
          </span>
        </details>
      )}
      <a className="inline-link" href={NOTICE_PAGE}>
        Notices
      </a>
    </PageForm>
  );
}
