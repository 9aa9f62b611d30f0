import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { FieldsForm } from "@/app/dashboard/fields-form";
import { Fingerprint } from "@/app/ui/fingerprint";
import { Name } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { Section, SettingsSection } from "@/app/ui/section";
import { DateOf, Time, Until } from "@/app/ui/time";
import { findId } from "@/lib/http/ids";
import { TOKEN_PAGE, tokenPath } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { listDaysOfUse, listVisitors } from "@/lib/tokens/activity";
import { findNews, listTokenNews } from "@/lib/tokens/events/token-events";
import { endOf, findReplacedBy, findToken, type TokenRecord } from "@/lib/tokens/management";
import { MAX_TOKEN_NAME_LENGTH } from "@/lib/tokens/name";
import { mergeNetworks } from "@/lib/tokens/networks";
import { expiryOfReplacement } from "@/lib/tokens/replacement";
import { tokenState } from "@/lib/tokens/state";
import { renameTokenAction } from "../actions";
import { NewNetworkOf } from "../list/notices";
import { Replacements } from "../list/replacements";
import { readFacts } from "../read-facts";
import { describeToken } from "../revoke/revocation";
import { RevokeLink, RevokeQuestions } from "../revoke/revoke-questions";
import { DayChart } from "./day-chart";
import { NetworksForm } from "./networks-form";
import { ReplaceToken } from "./replace-token";
import { TokenUse } from "./token-use";
import { Visitors } from "./visitors";

type Props = { params: Promise<{ id: string }>; searchParams: Promise<{ networks?: string | string[] }> };

export async function generateMetadata({ params }: Pick<Props, "params">): Promise<Metadata> {
  return { title: `${(await getOwnToken((await params).id)).token.name} · API tokens` };
}

/** One token: what it did, its name, and how it ends. */
export default async function Page({ params, searchParams }: Props) {
  const { accountId, token } = await getOwnToken((await params).id);
  const query = await searchParams;
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
  const newNetwork = findNews(news, token.id, "new_network");
  const day = days.get(token.id);
  return (
    <main id="main" className="page parts">
      <RevokeQuestions facts={facts} tokens={isActive ? [describeToken(token)] : []}>
        <PageHeader
          back={{ href: TOKEN_PAGE, label: "API tokens" }}
          title={<Name>{token.name}</Name>}
          facts={<FactsOf {...{ token, isActive, now }} />}
        >
          {(successor || predecessor) && (
            <Replacements {...{ token, isActive, now }} by={successor} of={predecessor} className="block" />
          )}
        </PageHeader>
        <TokenUse token={token} now={now} />
        <Section id="used-from" title="Used from">
          {newNetwork && <NewNetworkOf token={token} event={newNetwork} now={now} />}
          {visitors.used.length > 0 ? (
            <Visitors labelledBy="used-from" visitors={visitors.used} hasRequests now={now} />
          ) : (
            <p className="soft">{token.lastUsedAt ? "Its ip was not recorded." : "It was never used."}</p>
          )}
        </Section>
        {visitors.refused.length > 0 && (
          <Section id="refused-from" title="Refused from">
            <Visitors labelledBy="refused-from" visitors={visitors.refused} now={now} />
          </Section>
        )}
        <Section id="day" title="Requests in the last 24 hours">
          {day && <DayChart day={day} />}
        </Section>
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
          <ActiveSettings token={token} used={visitors.networks} isAddingUsed={query.networks === "used"} now={now} />
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

type ActiveProps = {
  token: TokenRecord;
  /** The networks that it was used from. */
  used: readonly string[];
  /** Whether the field begins with those as well. */
  isAddingUsed: boolean;
  now: Date;
};

/** What can be changed while a token works. */
function ActiveSettings({ token, used, isAddingUsed, now }: ActiveProps) {
  const withUsed = mergeNetworks(token.networks, used);
  return (
    <>
      <SettingsSection
        id="networks"
        title="Only from these networks"
        about="From elsewhere the token is refused as if it were revoked, and the refusal is counted above."
      >
        <NetworksForm
          id={token.id}
          networks={isAddingUsed ? withUsed : token.networks}
          addUsedHref={
            withUsed.length > token.networks.length && !isAddingUsed
              ? `${tokenPath(token.id)}?networks=used#networks`
              : null
          }
        />
      </SettingsSection>
      <SettingsSection
        id="replace"
        title="Replace"
        about="A new token with the same name and networks. Both work until the old one ends."
      >
        <ReplaceToken
          id={token.id}
          formNonce={randomBytes(16).toString("base64url")}
          expiry={expiryOfReplacement(token, now)}
        />
      </SettingsSection>
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
