import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { FieldsForm } from "@/app/dashboard/fields-form";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Name } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { SettingsSection } from "@/app/ui/section";
import { DateOf, Time, Until } from "@/app/ui/time";
import { findId } from "@/lib/http/ids";
import { TOKEN_PAGE } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { listDaysOfUse, listVisitors } from "@/lib/tokens/activity";
import { findNews, listTokenNews } from "@/lib/tokens/events/token-events";
import { endOf, findReplacedBy, findToken, type TokenRecord, withMeantLife } from "@/lib/tokens/management";
import { MAX_TOKEN_NAME_LENGTH } from "@/lib/tokens/name";
import { mergeNetworks } from "@/lib/tokens/networks";
import { expiryOfReplacement } from "@/lib/tokens/replacement";
import { tokenState } from "@/lib/tokens/state";
import { renameTokenAction } from "../actions";
import { Replacements } from "../list/replacements";
import { readFacts } from "../read-facts";
import { questionedToken } from "../revoke/revocation";
import { RevokeLink, RevokeQuestions } from "../revoke/revoke-questions";
import { NetworksForm } from "./networks-form";
import { ReplaceToken } from "./replace-token";
import { TokenUse } from "./token-use";

export async function generateMetadata({ params }: PageProps<"/dashboard/settings/api/[id]">): Promise<Metadata> {
  return { title: `${(await getOwnToken((await params).id)).token.name} · API tokens` };
}

/** One token: what it did, its name, and how it ends. */
export default async function Page({ params, searchParams }: PageProps<"/dashboard/settings/api/[id]">) {
  const { accountId, token } = await getOwnToken((await params).id);
  const now = new Date();
  const isActive = tokenState(token, now) === "active";
  const news = isActive ? await listTokenNews([token.id], now) : [];
  const networks = news.flatMap(({ facts: { network } }) => network ?? []);
  const [days, visitors, successor, predecessor, facts] = await Promise.all([
    listDaysOfUse([token.id], now),
    listVisitors(token, isActive ? null : endOf(token), networks),
    token.replacedById === null ? null : findToken(accountId, token.replacedById),
    findReplacedBy(accountId, token.id),
    readFacts(now),
  ]);
  // One that ended before this token replaces it no longer.
  const by = successor && (!isActive || tokenState(successor, now) === "active") ? successor : null;
  const newNetwork = findNews(news, token.id, "new_network");
  const withUsed = mergeNetworks(token.networks, visitors.networks);
  const isAddingUsed = (await searchParams).networks === "used";
  return (
    <main id="main" className="page parts">
      <RevokeQuestions facts={facts} tokens={isActive ? [questionedToken(token)] : []}>
        <PageHeader
          back={{ href: TOKEN_PAGE, label: "API tokens" }}
          title={<Name>{token.name}</Name>}
          facts={<FactsOf {...{ token, isActive, now }} />}
        >
          {(by || predecessor) && <Replacements {...{ token, isActive, now, by }} of={predecessor} className="block" />}
        </PageHeader>
        <TokenUse day={days.get(token.id)} {...{ token, visitors, newNetwork, now }} />
        <SettingsSection id="rename" title="Rename" about="Programs that use the token are not affected by its name.">
          <FieldsForm
            action={renameTokenAction}
            label="Rename the token"
            hidden={{ id: token.id }}
            fields={[{ name: "name", label: "Name", maxLength: 4 * MAX_TOKEN_NAME_LENGTH, value: token.name }]}
            again="What you typed is still here, and sending it again is safe."
            tone="button quiet"
            submit="Rename"
            pending="Renaming…"
          />
        </SettingsSection>
        {isActive && (
          <SettingsSection
            id="networks"
            title="Only from these networks"
            about="From elsewhere the token is refused as if it were revoked, and the refusal is counted above."
          >
            <NetworksForm
              id={token.id}
              networks={isAddingUsed ? withUsed : token.networks}
              canAddUsed={withUsed.length > token.networks.length && !isAddingUsed}
            />
          </SettingsSection>
        )}
        <ReplaceToken
          {...{ id: token.id, isActive }}
          formNonce={randomBytes(16).toString("base64url")}
          expiry={expiryOfReplacement(await withMeantLife(accountId, successor ?? token), now)}
        />
        {isActive && (
          <SettingsSection id="revoke" title="Revoke">
            <div className="card card-body grave">
              <p>Programs that use it are refused from their next request on. This cannot be undone.</p>
              <p>
                <RevokeLink selection={[token.id]} className="button quiet wary">
                  Revoke…
                </RevokeLink>
              </p>
            </div>
          </SettingsSection>
        )}
      </RevokeQuestions>
    </main>
  );
}

function FactsOf({ token, isActive, now }: { token: TokenRecord; isActive: boolean; now: Date }) {
  const end = endOf(token);
  return (
    <>
      <Fingerprint hint={token.hint} /> ·{" "}
      {end === null ? (
        "does not expire"
      ) : isActive ? (
        <>
          expires on <DateOf at={end} /> (<Until at={end} now={now} />)
        </>
      ) : (
        <>
          {token.revokedAt ? "revoked" : "expired"} <Time at={end} now={now} />
        </>
      )}{" "}
      · created <Time at={token.createdAt} now={now} />
    </>
  );
}

/** Returns the token, or shows the "not found" page when the account has no such token. */
async function getOwnToken(id: string): Promise<{ accountId: number; token: TokenRecord }> {
  const account = await requireAccount();
  const number = findId(id);
  const token = number === null ? null : await findToken(account.id, number);
  return token ? { accountId: account.id, token } : notFound();
}
