import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { TOKEN_PAGE } from "@/app/paths";
import { BackLink } from "@/app/ui/back-link";
import { Fingerprint } from "@/app/ui/fingerprint";
import { pageOrigin } from "@/app/ui/page-origin";
import { Time } from "@/app/ui/time";
import { findId } from "@/lib/http/ids";
import { dateText, untilText } from "@/lib/relative-time";
import { needsPassword } from "@/lib/sign-in/confirmation";
import { requireAccount } from "@/lib/sign-in/sessions";
import { listDaysOfUse, listVisitors } from "@/lib/tokens/activity";
import { endOf, findToken, findTokens, type TokenRecord } from "@/lib/tokens/management";
import { MAX_TOKEN_NAME_LENGTH } from "@/lib/tokens/name";
import { expiryOfReplacement } from "@/lib/tokens/replacement";
import { tokenState } from "@/lib/tokens/state";
import { ReplacementNote } from "../list/replacement-note";
import { describeToken } from "../revoke/describe-token";
import { RevokeLink, RevokeQuestions, RevokeResult } from "../revoke/revoke-questions";
import { DayChart } from "./day-chart";
import styles from "./page.module.css";
import { RenameForm } from "./rename-form";
import { ReplaceToken } from "./replace-token";
import { Visitors } from "./visitors";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: `${(await getOwnToken((await params).id)).token.name} · API tokens` };
}

/** One token: what it did, its name, and how it ends. */
export default async function Page({ params }: Props) {
  const { accountId, token } = await getOwnToken((await params).id);
  const now = new Date();
  const [days, visitors, others, origin, asksPassword] = await Promise.all([
    listDaysOfUse([token.id], now),
    listVisitors(token.id),
    findTokens(accountId, token.replacedById === null ? [] : [token.replacedById]),
    pageOrigin(),
    needsPassword(),
  ]);
  const day = days.get(token.id);
  const isActive = tokenState(token, now) === "active";
  const [replacement] = others;
  return (
    <main id="main" className="page parts">
      <RevokeQuestions
        tokens={isActive ? [describeToken(token)] : []}
        asked={null}
        outcome={null}
        asksPassword={asksPassword}
        now={now}
      >
        <RevokeResult />
        <header className={styles.header}>
          <BackLink href={TOKEN_PAGE}>All API tokens</BackLink>
          <h1 className={styles.name}>{token.name}</h1>
          <p className="soft">
            <Fingerprint hint={token.hint} /> · <State token={token} now={now} /> · created{" "}
            <Time at={token.createdAt} now={now} />
          </p>
          {isActive && replacement && <ReplacementNote token={token} by={replacement} now={now} />}
        </header>
        <section className={styles.section} aria-labelledby="day">
          <h2 id="day">The last 24 hours</h2>
          {day && <DayChart day={day} />}
        </section>
        <section className={styles.section} aria-labelledby="visitors">
          <h2 id="visitors">Where it was used from</h2>
          <Visitors visitors={visitors} now={now} />
        </section>
        <section className={styles.section} aria-labelledby="rename">
          <h2 id="rename">Rename</h2>
          <p className="soft">Nothing else about the token changes; programs that use it notice nothing.</p>
          <RenameForm id={token.id} name={token.name} maxLength={MAX_TOKEN_NAME_LENGTH} />
        </section>
        {isActive && (
          <>
            <section className={styles.section} aria-labelledby="replace">
              <h2 id="replace">Replace</h2>
              <ReplaceToken
                id={token.id}
                formNonce={randomBytes(16).toString("base64url")}
                expiry={expiryOfReplacement(token, now)}
                asksPassword={asksPassword}
                origin={origin}
                now={now}
              />
            </section>
            <section className={styles.section} aria-labelledby="revoke">
              <h2 id="revoke">Revoke</h2>
              <p className="soft">Programs that use it are refused from their next request on.</p>
              <p>
                <RevokeLink which={[token.id]} className="button quiet wary">
                  Revoke…
                </RevokeLink>
              </p>
            </section>
          </>
        )}
      </RevokeQuestions>
    </main>
  );
}

/** What is no token of the account is answered like what is no page. */
async function getOwnToken(id: string): Promise<{ accountId: number; token: TokenRecord }> {
  const account = await requireAccount();
  const number = findId(id);
  const token = number === null ? null : await findToken(account.id, number);
  return token ? { accountId: account.id, token } : notFound();
}

function State({ token, now }: { token: TokenRecord; now: Date }) {
  const end = endOf(token);
  if (tokenState(token, now) === "active") {
    return end ? `expires on ${dateText(end)} (${untilText(end, now)})` : "does not expire";
  }
  return (
    <>
      {token.revokedAt ? "revoked" : "expired"} {end && <Time at={end} now={now} />}
    </>
  );
}
