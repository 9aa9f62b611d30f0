import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { cache } from "react";
import { Link } from "@/app/ui/link";
import { PageHeader } from "@/app/ui/page-header";
import { API_REFERENCE } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { listDaysOfUse } from "@/lib/tokens/activity";
import { listTokenNews } from "@/lib/tokens/events/token-events";
import { listTokens } from "@/lib/tokens/management";
import { CreateToken } from "./create/create-token";
import { Notices } from "./list/notices";
import { ActiveTokens, EndedTokens } from "./list/token-list";
import { type Query, viewIn } from "./list/view";
import { ViewForm } from "./list/view-form";
import { LookUpToken } from "./lookup/look-up-token";
import { readFacts } from "./read-facts";
import { findOutcome } from "./revoke/find-outcome";
import { parseSelection, questionedToken } from "./revoke/revocation";
import { RevokeQuestions } from "./revoke/revoke-questions";
import { UseWithAgents } from "./use-with-agents";

/** With this many active tokens, the page offers a filter and sorting. */
const MANY = 5;

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
  const { active, ended } = lists;
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
      <RevokeQuestions facts={facts} tokens={active.map(questionedToken)} {...{ asked, refusal }}>
        <PageHeader title="API tokens">
          A token lets a program read your servers, benchmarks and game services through the API, as you and without
          your password. It can change nothing. What it reads, and how:{" "}
          <Link className="inline-link" href={API_REFERENCE}>
            API reference
          </Link>
          .
        </PageHeader>
        <Notices lists={lists} news={news} now={now} />
        <CreateToken formNonce={randomBytes(16).toString("base64url")} />
        {active.length + ended.length > 0 && (
          <div className="beside">
            {(active.length > MANY || view.filter !== "") && <ViewForm view={view} />}
            <LookUpToken />
          </div>
        )}
        <ActiveTokens tokens={active} {...{ days, news, view, now }} origin={facts.origin} />
        {ended.length > 0 && <EndedTokens tokens={ended} hasMore={lists.hasMoreEnded} {...{ view, now }} />}
        <UseWithAgents origin={facts.origin} />
      </RevokeQuestions>
    </main>
  );
}
