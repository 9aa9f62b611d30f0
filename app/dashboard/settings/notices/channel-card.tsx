import { FieldsForm } from "@/app/dashboard/fields-form";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Name } from "@/app/ui/name";
import { Time } from "@/app/ui/time";
import { counted } from "@/lib/format/quantities";
import { CHANNEL_NAMES, type ChannelKind, MAX_CHANNEL_NAME } from "@/lib/notices/kinds";
import type { Channel } from "@/lib/notices/management";
import {
  askAgainAction,
  endOldSecretAction,
  removeChannelAction,
  renameChannelAction,
  sendTestAction,
  switchChannelAction,
} from "./actions";
import { RotateSecret } from "./add-channel";
import styles from "./notices.module.css";

const STATES: Readonly<Record<string, { name: string; tone: string }>> = {
  due: { name: "On its way", tone: "" },
  delivered: { name: "Delivered", tone: "good" },
  failed: { name: "Not delivered", tone: "danger" },
  dropped: { name: "Dropped", tone: "" },
};
/** Why notices wait; null: for the others of their message, or for another attempt. */
const WAITS_FOR: Readonly<Record<string, string>> = {
  quiet: "the end of quiet hours",
  limit: "the next hour: twenty messages an hour are the most",
  receiver: "its receiver, which asked for time",
  snooze: "the end of a snooze",
  maintenance: "the end of maintenance",
  often: "the next hour: the same came three times within this one",
};

/** One channel: whether it is on, what was sent there, and what can be done with it. */
export function ChannelCard({ channel, now }: { channel: Channel; now: Date }) {
  const { id, kind, name, host, email, confirmedAt, offAt } = channel;
  const hidden = { id, scope: `channel-${id}` };
  const isOn = confirmedAt !== null && offAt === null;
  const quiet = { hidden, tone: "button quiet" } as const;
  const wary = { hidden, tone: "button quiet wary" } as const;
  return (
    <article className="card card-body" aria-labelledby={`channel-${id}`}>
      <div className="row near breaks">
        <h3 id={`channel-${id}`}>
          <Name>{name}</Name>
        </h3>
        <ChannelBadge {...channel} />
      </div>
      <p className="soft">
        {CHANNEL_NAMES[kind as ChannelKind]} to <Name className="breaks">{email ?? host}</Name>
      </p>
      <ChannelState channel={channel} now={now} />
      <div className={`row near ${styles.actions}`}>
        {isOn && (
          <FieldsForm
            {...quiet}
            action={sendTestAction}
            label={`Send a test to ${name}`}
            submit="Send a test"
            pending="Sending…"
            again="Sending it again sends another test."
          />
        )}
        {confirmedAt === null ? (
          <FieldsForm
            {...quiet}
            action={askAgainAction}
            label={`Ask ${name} again`}
            submit="Send the mail again"
            pending="Sending…"
            again="Sending it again sends another mail."
          />
        ) : (
          <FieldsForm
            {...quiet}
            action={switchChannelAction}
            label={`Turn ${name} ${isOn ? "off" : "on"}`}
            hidden={{ ...hidden, to: isOn ? "off" : "on" }}
            submit={isOn ? "Turn off" : "Turn on"}
            pending="Saving…"
          />
        )}
      </div>
      <Waiting channel={channel} now={now} />
      {channel.last.length > 0 && <Deliveries channel={channel} now={now} />}
      <details className="disclosure">
        <summary>Change or remove</summary>
        <div className="stack">
          <FieldsForm
            {...quiet}
            action={renameChannelAction}
            label={`Rename ${name}`}
            className="stack"
            fields={[{ name: "name", label: "Name", maxLength: 2 * MAX_CHANNEL_NAME, value: name }]}
            submit="Rename"
            pending="Renaming…"
          />
          {kind === "webhook" && !channel.isLost && (
            <>
              <RotateSecret id={id} name={name} />
              <FieldsForm
                {...wary}
                action={endOldSecretAction}
                label={`End the old secret of ${name}`}
                submit="End the old secret"
                pending="Ending…"
              />
            </>
          )}
          <FieldsForm
            {...wary}
            action={removeChannelAction}
            label={`Remove ${name}`}
            submit="Remove this channel"
            pending="Removing…"
          />
        </div>
      </details>
    </article>
  );
}

function ChannelBadge({ confirmedAt, offAt, failingSince }: Channel) {
  if (offAt !== null) return <span className="badge danger">Off</span>;
  if (confirmedAt === null) return <span className="badge warning">Not confirmed</span>;
  return failingSince === null ? (
    <span className="badge good">On</span>
  ) : (
    <span className="badge warning">On, failing</span>
  );
}

function ChannelState({ channel, now }: { channel: Channel; now: Date }) {
  const { confirmedAt, offAt, offReason, failingSince, isLost, failsAtServer } = channel;
  if (offAt !== null) {
    return (
      <p>
        Off <Time at={offAt} now={now} />: {offReason}
      </p>
    );
  }
  if (isLost) return <p>This console has no key that opens this channel, so nothing is sent. Add it again.</p>;
  if (confirmedAt === null) {
    return (
      <p>
        {failingSince
          ? `The confirmation mail was not sent: ${offReason} Send it again later.`
          : "Open the link in the confirmation mail: no notice is sent before that. At most three such mails are sent in a day."}
      </p>
    );
  }
  if (failingSince === null) return null;
  return (
    <p>
      Nothing arrives there{offReason === null ? "." : `: ${offReason}`} The first failure was{" "}
      <Time at={failingSince} now={now} />.{!failsAtServer && " After a day of failures it is turned off."}
    </p>
  );
}

function Waiting({ channel: { waiting, heldUntil, heldFor }, now }: { channel: Channel; now: Date }) {
  const isHeld = heldUntil !== null && heldUntil > now;
  return waiting.map(({ waitsFor, _count: count, _min: { nextAt } }) => {
    const reason = WAITS_FOR[waitsFor ?? (isHeld ? (heldFor ?? "") : "")];
    const at = waitsFor === null && isHeld ? heldUntil : nextAt;
    return (
      <p key={waitsFor} className="soft">
        {counted(count, "notice")} {count === 1 ? "waits" : "wait"}
        {reason && ` for ${reason}`}. {/* Maintenance may be called off, so its end is not said. */}
        {waitsFor !== "maintenance" && at !== null && at > now && (
          <>
            {count === 1 ? "It comes" : "They come"} <Time at={at} now={now} />.
          </>
        )}
      </p>
    );
  });
}

function Deliveries({ channel: { name, last }, now }: { channel: Channel; now: Date }) {
  return (
    <details className="disclosure">
      <summary>
        Last {last.length === 1 ? "delivery" : `${last.length} deliveries`}
        <span className="visually-hidden">
          {" "}
          of <Name>{name}</Name>
        </span>
      </summary>
      <DataTable
        label={`Last deliveries of ${name}`}
        columns={["When", "What", "Status", "Why"]}
        className={styles.deliveries}
      >
        {last.map(({ id, at, title, state, reason }) => (
          <Row key={id}>
            <RowTitle>
              <Time at={new Date(at)} now={now} />
            </RowTitle>
            <Cell label="What" className="breaks">
              <bdi>{title}</bdi>
            </Cell>
            <Cell label="Status">
              <span className={`badge ${STATES[state]?.tone}`}>{STATES[state]?.name}</span>
            </Cell>
            <Cell label="Why">{reason ?? "–"}</Cell>
          </Row>
        ))}
      </DataTable>
    </details>
  );
}
