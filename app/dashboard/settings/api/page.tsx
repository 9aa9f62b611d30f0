import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { cache } from "react";
import { Link } from "@/app/ui/link";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { API_REFERENCE } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { listDaysOfUse } from "@/lib/tokens/activity";
import { listTokenNews } from "@/lib/tokens/events/token-events";
import { listTokens, MAX_ACTIVE_TOKENS, MAX_ENDED_SHOWN, type TokenRecord } from "@/lib/tokens/management";
import { CreateToken } from "./create/create-token";
import { NoTokens } from "./list/no-tokens";
import { Notices } from "./list/notices";
import { ActiveTokens, EndedTokens } from "./list/token-list";
import { applyView, filterTokens } from "./list/token-view";
import { type View, viewIn } from "./list/view";
import { ViewForm } from "./list/view-form";
import { LookUpToken } from "./lookup/look-up-token";
import { readFacts } from "./read-facts";
import { findOutcome } from "./revoke/find-outcome";
import { describeToken, parseSelection } from "./revoke/revocation";
import { RevokeQuestions } from "./revoke/revoke-questions";
import { UseWithAgents } from "./use-with-agents";

/** With this many active tokens, the page offers a filter and sorting. */
const MANY = 5;
/** The page shows this many ended tokens and folds the others. */
const UNFOLDED = 10;

type Query = Record<string, string | string[] | undefined>;
type Props = { searchParams: Promise<Query> };

/** The tokens of the account and those that `?revoke=` asks about, if they can be revoked; read once for title and page. */
const readTokens = cache(async (revoke: string | undefined) => {
  const account = await requireAccount();
  const now = new Date();
  const lists = await listTokens(account.id, now);
  const selection = revoke === undefined ? null : parseSelection(revoke);
  const isAnswerable = lists.active.some(({ id }) => selection === "all" || selection?.includes(id));
  return { account, now, lists, selection, asked: isAnswerable ? selection : null };
});

const tokensOf = ({ revoke }: Query) => readTokens(revoke === undefined ? undefined : String(revoke));

export async function generateMetadata({ searchParams }: Props): Promise<Metadata> {
  // Where they cannot be read, the page says why, under its usual title.
  const tokens = await tokensOf(await searchParams).catch(() => null);
  return { title: tokens?.asked ? "Revoke? · API tokens" : "API tokens" };
}

export default async function Page({ searchParams }: Props) {
  const query = await searchParams;
  const { account, now, lists, selection, asked } = await tokensOf(query);
  const { active, ended, hasMoreEnded } = lists;
  const view = viewIn(query);
  const ids = active.map(({ id }) => id);
  const [refusal, days, news, facts] = await Promise.all([
    selection && !asked ? findOutcome(account.id, selection, now) : null,
    listDaysOfUse(ids, now),
    listTokenNews([...ids, ...ended.map(({ id }) => id)], now),
    readFacts(now),
  ]);
  return (
    <main id="main" className="page parts">
      <RevokeQuestions facts={facts} tokens={active.map(describeToken)} {...{ asked, refusal }}>
        <PageHeader title="API tokens">
          <p>
            A token lets a program read your servers, benchmarks and game services through the API, as you and without
            your password. It can change nothing. What it reads, and how:{" "}
            <Link className="inline-link" href={API_REFERENCE}>
              API reference
            </Link>
            .
          </p>
        </PageHeader>
        <Notices lists={lists} news={news} now={now} />
        <CreateToken formNonce={randomBytes(16).toString("base64url")} />
        {active.length + ended.length > 0 && (
          <div className="beside">
            {(active.length > MANY || view.filter !== "") && <ViewForm view={view} />}
            <LookUpToken />
          </div>
        )}
        <Active {...{ active, days, news, view, now }} origin={facts.origin} />
        {ended.length > 0 && <Ended {...{ ended, hasMoreEnded, view, now }} />}
        <UseWithAgents origin={facts.origin} />
      </RevokeQuestions>
    </main>
  );
}

type ActiveProps = Pick<React.ComponentProps<typeof ActiveTokens>, "days" | "news" | "view" | "now"> & {
  active: readonly TokenRecord[];
  origin: string;
};

function Active({ active, days, news, view, origin, now }: ActiveProps) {
  const shownActive = applyView(active, view);
  return (
    <Section
      id="active"
      title="Active tokens"
      note={
        active.length > 0 &&
        `${active.length} of ${MAX_ACTIVE_TOKENS}${shownActive.length < active.length ? `, ${shownActive.length} shown` : ""}`
      }
    >
      {active.length === 0 && <NoTokens origin={origin} />}
      {shownActive.length > 0 && <ActiveTokens tokens={shownActive} all={active} {...{ days, news, view, now }} />}
      {active.length > 0 && shownActive.length === 0 && <p>No active token matches “{view.filter}”.</p>}
    </Section>
  );
}

type EndedProps = { ended: readonly TokenRecord[]; hasMoreEnded: boolean; view: View; now: Date };

function Ended({ ended, hasMoreEnded, view, now }: EndedProps) {
  const shownEnded = filterTokens(ended, view.filter);
  return (
    <Section
      id="ended"
      title="Revoked and expired"
      note={hasMoreEnded ? `The last ${MAX_ENDED_SHOWN}; earlier ones are not kept` : "Kept here for 90 days"}
    >
      {shownEnded.length > 0 ? (
        <EndedTokens tokens={shownEnded.slice(0, UNFOLDED)} now={now} />
      ) : (
        <p>No ended token matches “{view.filter}”.</p>
      )}
      {shownEnded.length > UNFOLDED && (
        <details className="disclosure">
          <summary>{shownEnded.length - UNFOLDED} more</summary>
          <EndedTokens tokens={shownEnded.slice(UNFOLDED)} now={now} isMore />
        </details>
      )}
    </Section>
  );
}
