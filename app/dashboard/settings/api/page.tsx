import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { pageOrigin } from "@/app/ui/page-origin";
import { dateText } from "@/lib/relative-time";
import { requireAccount } from "@/lib/sign-in/sessions";
import { DAY } from "@/lib/time";
import { dayOf, EXPIRY_DAYS, EXPIRY_ON_DATE, NO_EXPIRY } from "@/lib/tokens/expiry";
import { listTokens, MAX_ACTIVE_TOKENS, MAX_ENDED_SHOWN, type TokenRecord } from "@/lib/tokens/management";
import { MAX_TOKEN_NAME_LENGTH } from "@/lib/tokens/name";
import type { ExpiryChoice } from "./create-form";
import { CreateToken } from "./create-token";
import { findOutcome } from "./find-outcome";
import { NoTokens } from "./no-tokens";
import styles from "./page.module.css";
import { askedIn, type Query, stepIn } from "./page-query";
import { programName } from "./program-name";
import { type AskedToken, RevokeLink, RevokeQuestions, RevokeResult, type Which } from "./revoke-questions";
import { ActiveTokens, EndedTokens } from "./token-list";

type Props = { searchParams: Promise<Query> };

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { revoke, revoked, unchanged } = await searchParams;
  if (revoke) return { title: "Revoke? · API tokens" };
  if (revoked) return { title: "Revoked · API tokens" };
  return { title: unchanged ? "Nothing changed · API tokens" : "API tokens" };
}

export default async function Page({ searchParams }: Props) {
  const account = await requireAccount();
  const now = new Date();
  const [query, { active, ended, hasMoreEnded }, origin] = await Promise.all([
    searchParams,
    listTokens(account.id, now),
    pageOrigin(),
  ]);
  const asked = askedIn(query);
  const isAnswerable = asked !== null && (asked === "all" ? active : activeOf(asked, active)).length > 0;
  const step = isAnswerable || asked === null ? stepIn(query) : { unchanged: asked };
  return (
    <main id="main" className={`page ${styles.page}`}>
      <RevokeQuestions
        tokens={active.map(describe)}
        asked={isAnswerable ? asked : null}
        outcome={step && (await findOutcome(account.id, step, now))}
        now={now}
      >
        <RevokeResult />
        <header className={styles.header}>
          <h1>API tokens</h1>
          <p className="soft">
            A token lets a program read your servers, benchmarks and game services through the API, as you and without
            your password. It can change nothing.
          </p>
        </header>
        <CreateToken
          formNonce={randomBytes(16).toString("base64url")}
          choices={expiryChoices(now)}
          firstDay={dayOf(now)}
          maxNameLength={MAX_TOKEN_NAME_LENGTH}
          origin={origin}
          now={now}
        />
        <section className={styles.section} aria-labelledby="active">
          <div className={styles.sectionHeader}>
            <h2 id="active">Active tokens</h2>
            {active.length > 0 && (
              <>
                <span className="hint">
                  {active.length} of {MAX_ACTIVE_TOKENS}
                </span>
                <RevokeLink which="all" className={`plain-button wary ${styles.revokeAll}`}>
                  Revoke all
                </RevokeLink>
              </>
            )}
          </div>
          {active.length > 0 ? <ActiveTokens tokens={active} now={now} /> : <NoTokens origin={origin} />}
        </section>
        {ended.length > 0 && (
          <section className={styles.section} aria-labelledby="ended">
            <div className={styles.sectionHeader}>
              <h2 id="ended">Revoked and expired</h2>
              <span className="hint">
                {hasMoreEnded ? `The last ${MAX_ENDED_SHOWN}; earlier ones are forgotten` : "Kept here for 90 days"}
              </span>
            </div>
            <EndedTokens tokens={ended} now={now} />
          </section>
        )}
      </RevokeQuestions>
    </main>
  );
}

function activeOf(which: Exclude<Which, "all">, active: readonly TokenRecord[]): TokenRecord[] {
  return active.filter(({ id }) => which.includes(id));
}

function describe({ id, name, hint, lastUsedAt, lastUsedIp, lastUsedAgent }: TokenRecord): AskedToken {
  return { id, name, hint, lastUsedAt, lastUsedIp, program: programName(lastUsedAgent) };
}

function expiryChoices(now: Date): ExpiryChoice[] {
  const after = (days: number) => dateText(new Date(now.getTime() + days * DAY));
  return [
    { value: NO_EXPIRY, label: "Never" },
    ...EXPIRY_DAYS.map((days) => ({ value: String(days), label: `In ${days} days (${after(days)})` })),
    { value: EXPIRY_ON_DATE, label: "On a date…" },
  ];
}
