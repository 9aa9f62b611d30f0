import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import Link from "next/link";
import { TOKEN_PAGE } from "@/app/paths";
import { pageOrigin } from "@/app/ui/page-origin";
import { dateText, instantText, relativeTime } from "@/lib/relative-time";
import { requireAccount } from "@/lib/sign-in/sessions";
import { DAY } from "@/lib/time";
import { dayOf, EXPIRY_DAYS, EXPIRY_ON_DATE, NO_EXPIRY } from "@/lib/tokens/expiry";
import { listTokens, MAX_ACTIVE_TOKENS, type TokenRecord } from "@/lib/tokens/management";
import { MAX_TOKEN_NAME_LENGTH } from "@/lib/tokens/name";
import { tokenState } from "@/lib/tokens/state";
import { ConfirmRevoke } from "./confirm-revoke";
import { CreateToken, type ExpiryChoice, type FirstUse } from "./create-token";
import { NoTokens } from "./no-tokens";
import { Outcome } from "./outcome";
import styles from "./page.module.css";
import { ActiveTokens, EndedTokens } from "./token-list";

type Query = Record<string, string | string[] | undefined>;
type Props = { searchParams: Promise<Query> };

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  const { revoke, revoked, unchanged } = await searchParams;
  if (revoke) return { title: "Revoke? · API tokens" };
  if (revoked) return { title: "Revoked · API tokens" };
  return { title: unchanged ? "Nothing changed · API tokens" : "API tokens" };
}

export default async function Page({ searchParams }: Props) {
  const account = await requireAccount();
  const [query, tokens, origin] = await Promise.all([searchParams, listTokens(account.id), pageOrigin()]);
  const now = new Date();
  const active = tokens.filter((token) => tokenState(token, now) === "active");
  const ended = tokens.filter((token) => tokenState(token, now) !== "active");
  return (
    <main id="main" className={`page ${styles.page}`}>
      <ConfirmRevoke active={active} query={query} now={now} />
      <Outcome accountId={account.id} tokens={tokens} query={query} now={now} />
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
        firstUses={firstUses(active, now)}
      />
      <section className={styles.section} aria-labelledby="active">
        <div className={styles.sectionHeader}>
          <h2 id="active">Active tokens</h2>
          {active.length > 0 && (
            <>
              <span className="hint">
                {active.length} of {MAX_ACTIVE_TOKENS}
              </span>
              <Link
                id="revoke-all"
                className={`button quiet wary small ${styles.revokeAll}`}
                href={`${TOKEN_PAGE}?revoke=all`}
                prefetch={false}
                scroll={false}
              >
                Revoke all
              </Link>
            </>
          )}
        </div>
        {active.length > 0 ? <ActiveTokens tokens={active} now={now} /> : <NoTokens origin={origin} />}
      </section>
      {ended.length > 0 && (
        <section className={styles.section} aria-labelledby="ended">
          <div className={styles.sectionHeader}>
            <h2 id="ended">Revoked and expired</h2>
            <span className="hint">Kept here for 90 days</span>
          </div>
          <EndedTokens tokens={ended} now={now} />
        </section>
      )}
    </main>
  );
}

function expiryChoices(now: Date): ExpiryChoice[] {
  const after = (days: number) => dateText(new Date(now.getTime() + days * DAY));
  return [
    { value: NO_EXPIRY, label: "Never" },
    ...EXPIRY_DAYS.map((days) => ({ value: String(days), label: `In ${days} days (${after(days)})` })),
    { value: EXPIRY_ON_DATE, label: "On a date…" },
  ];
}

/** What the page of a new token waits for. */
function firstUses(tokens: readonly TokenRecord[], now: Date): Record<number, FirstUse> {
  const used = tokens.flatMap(({ id, firstUsedAt: at, firstUsedIp: address }) =>
    at ? [[id, { at: relativeTime(at, now), exactly: instantText(at), iso: at.toISOString(), address }] as const] : [],
  );
  return Object.fromEntries(used);
}
