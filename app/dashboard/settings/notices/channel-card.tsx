import { ButtonForm, type ButtonFormProps } from "@/app/dashboard/button-form";
import { FieldsForm } from "@/app/dashboard/fields-form";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Time } from "@/app/ui/time";
import { type Channel, lastFailure, MAX_CHANNEL_NAME } from "@/lib/notices/management";
import {
  askAgainAction,
  endOldSecretAction,
  removeChannelAction,
  renameChannelAction,
  sendTestAction,
  switchChannelAction,
} from "./actions";
import { RotateSecret } from "./add-channel";
import styles from "./channel-card.module.css";

const KIND_NAMES: Readonly<Record<string, string>> = { mail: "Mail", webhook: "Webhook", discord: "Discord" };
const STATES: Readonly<Record<string, { name: string; tone: string }>> = {
  due: { name: "On its way", tone: "" },
  delivered: { name: "Delivered", tone: "good" },
  undelivered: { name: "Not delivered", tone: "danger" },
  dropped: { name: "Dropped", tone: "" },
};

/** One channel: whether it is on, what was sent there, and what can be done with it. */
export function ChannelCard({ channel, now }: { channel: Channel; now: Date }) {
  const { id, kind, name, host, email, confirmedAt, offAt } = channel;
  const hidden = { id, scope: `channel-${id}` };
  const isOn = confirmedAt !== null && offAt === null;
  const quiet = { hidden, tone: "button quiet" } as const;
  return (
    <article className="card card-body" aria-labelledby={`channel-${id}`}>
      <div className={`row ${styles.head}`}>
        <h3 id={`channel-${id}`}>
          <bdi>{name}</bdi>
        </h3>
        <ChannelBadge {...channel} />
      </div>
      <p className="soft">
        {KIND_NAMES[kind]} to <span className={styles.target}>{email ?? host}</span>
      </p>
      <ChannelState channel={channel} now={now} />
      <div className={`row ${styles.actions}`}>
        {isOn && (
          <ButtonForm
            {...quiet}
            action={sendTestAction}
            label={`Send a test to ${name}`}
            submit="Send a test"
            pending="Sending…"
            again="Sending it again sends another test."
          />
        )}
        {confirmedAt === null ? (
          <ButtonForm
            {...quiet}
            action={askAgainAction}
            label={`Ask ${name} again`}
            submit="Send the mail again"
            pending="Sending…"
            again="Sending it again sends another mail."
          />
        ) : (
          <ButtonForm
            {...quiet}
            action={switchChannelAction}
            label={`Turn ${name} ${isOn ? "off" : "on"}`}
            hidden={{ ...hidden, to: isOn ? "off" : "on" }}
            submit={isOn ? "Turn off" : "Turn on"}
            pending="Saving…"
          />
        )}
      </div>
      {channel.deliveries.length > 0 && <Deliveries channel={channel} now={now} />}
      <ChangeOrRemove {...{ channel, quiet }} />
    </article>
  );
}

type ChangeProps = {
  channel: Channel;
  quiet: Pick<ButtonFormProps, "hidden" | "tone">;
};

function ChangeOrRemove({ channel: { id, kind, name }, quiet }: ChangeProps) {
  return (
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
        {kind === "webhook" && (
          <>
            <RotateSecret id={id} name={name} />
            <ButtonForm
              {...quiet}
              action={endOldSecretAction}
              label={`End the old secret of ${name}`}
              tone="button quiet wary"
              submit="End the old secret"
              pending="Ending…"
            />
          </>
        )}
        <ButtonForm
          {...quiet}
          action={removeChannelAction}
          label={`Remove ${name}`}
          tone="button quiet wary"
          submit="Remove this channel"
          pending="Removing…"
        />
      </div>
    </details>
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
  const { confirmedAt, offAt, offReason, failingSince } = channel;
  const failure = lastFailure(channel);
  if (offAt !== null) {
    return (
      <p>
        Off <Time at={offAt} now={now} />: {offReason}
      </p>
    );
  }
  if (confirmedAt === null) {
    return (
      <p>
        {failingSince
          ? `The confirmation mail was not sent: ${failure} Send it again later.`
          : "Open the link in the confirmation mail: no notice is sent before that. At most three such mails are sent in a day."}
      </p>
    );
  }
  if (failingSince === null) return null;
  return (
    <p>
      Nothing arrives there{failure === null ? "." : `: ${failure}`} The first failure was{" "}
      <Time at={failingSince} now={now} />. After a day of failures it is turned off.
    </p>
  );
}

function Deliveries({ channel: { id, name, deliveries }, now }: { channel: Channel; now: Date }) {
  return (
    <details className="disclosure">
      <summary>
        Last {deliveries.length === 1 ? "delivery" : `${deliveries.length} deliveries`}
        <span className="visually-hidden"> of {name}</span>
      </summary>
      <DataTable
        label={`Last deliveries of ${name}`}
        columns={["When", "What", "Status", "Why"]}
        className={styles.deliveries}
      >
        {deliveries.map((delivery) => (
          <Row key={`${id} ${delivery.id}`}>
            <RowTitle>
              <Time at={delivery.endedAt ?? delivery.dueAt} now={now} />
            </RowTitle>
            <Cell label="What" className={styles.target}>
              {delivery.notice.kind === "test" ? "Test" : <bdi>{delivery.title ?? "–"}</bdi>}
            </Cell>
            <Cell label="Status">
              <span className={`badge ${STATES[delivery.state]?.tone}`}>{STATES[delivery.state]?.name}</span>
            </Cell>
            <Cell label="Why">{delivery.reason ?? "–"}</Cell>
          </Row>
        ))}
      </DataTable>
    </details>
  );
}
