"use client";

import { ActionForm } from "@/app/ui/action-form";
import { Cell, DataTable, Row, RowTitle } from "@/app/ui/data-table";
import { Ip } from "@/app/ui/ip";
import { PasswordAgain } from "@/app/ui/password-again";
import { Time } from "@/app/ui/time";
import { useFormAnswer } from "@/app/ui/use-form-answer";
import { counted } from "@/lib/format/quantities";
import { browserName } from "@/lib/sign-in/browser-name";
import type { OpenSession } from "@/lib/sign-in/open-sessions";
import { endSessionsAction } from "./actions";
import styles from "./sessions.module.css";

type Props = { sessions: readonly OpenSession[]; asksPassword: boolean; now: Date };

/** The browsers that are signed in, each with a button that signs it out. One form: the button names the session. */
export function Sessions({ sessions, asksPassword, now }: Props) {
  const form = useFormAnswer(endSessionsAction);
  const { answer, isPending } = form;
  const error = answer.kind === "invalid" ? answer.message : null;
  const isAsked = asksPassword || error !== null;
  const others = sessions.filter(({ isCurrent }) => !isCurrent);
  return (
    <ActionForm
      form={form}
      className="stack"
      labelledBy="sessions"
      again="It may have happened all the same. Sending it again is safe."
      done={answer.kind === "ended" && endedText(answer.count)}
      doneTone={answer.kind === "ended" && answer.count > 0 ? "done" : "warning"}
    >
      {others.length > 0 && (
        <>
          {/* Enter in the field presses the first button of the form: it must choose no browser. */}
          {isAsked && <button type="submit" disabled hidden />}
          <PasswordAgain isAsked={isAsked} error={error} />
        </>
      )}
      <DataTable labelledBy="sessions" columns={["Browser", "Signed in", { title: "Action", isTitleHidden: true }]}>
        {sessions.map(({ id, userAgent, ip, createdAt, isCurrent }) => (
          <Row key={id}>
            <RowTitle className="breaks" title={userAgent ?? undefined}>
              <strong className="block">{browserName(userAgent)}</strong>
              <span className="soft">{ip ? <Ip ip={ip} /> : "ip not known"}</span>
            </RowTitle>
            <Cell label="Signed in" className={`nowrap ${styles.when}`}>
              <Time at={createdAt} now={now} />
            </Cell>
            <Cell className="end nowrap">
              {isCurrent ? (
                <span className="badge">This browser</span>
              ) : (
                <button type="submit" name="session" value={id} className="plain-button wary" aria-disabled={isPending}>
                  Sign out
                  <span className="visually-hidden">
                    {" "}
                    {browserName(userAgent)}, {ip ?? "ip not known"}
                  </span>
                </button>
              )}
            </Cell>
          </Row>
        ))}
      </DataTable>
      {others.length > 0 && (
        <p>
          <button type="submit" name="session" value="others" className="button quiet wary" aria-disabled={isPending}>
            Sign out all other browsers
          </button>
        </p>
      )}
    </ActionForm>
  );
}

function endedText(count: number): string {
  if (count === 0) return "Nothing was changed: that browser was already signed out.";
  return `${counted(count, "browser was", "browsers were")} signed out.`;
}
