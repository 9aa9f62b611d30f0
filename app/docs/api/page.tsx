import type { Metadata } from "next";
import Link from "next/link";
import { SIGN_IN, TOKEN_PAGE } from "@/app/paths";
import { CodeBlock } from "@/app/ui/code-block";
import { pageOrigin } from "@/app/ui/page-origin";
import { HeaderNavigation, SiteHeader } from "@/app/ui/site-header";
import examples from "@/lib/api/examples.json";
import { type ApiResponse, type OpenApiDocument, openApiDocument } from "@/lib/api/openapi";
import { listGameServices } from "@/lib/game-services/game-services";
import { listServers } from "@/lib/servers/servers";
import { findAccount } from "@/lib/sign-in/sessions";
import { EndpointSection } from "./endpoint-section";
import { HealthScoreSection } from "./health-score-section";
import styles from "./page.module.css";
import { Section } from "./section";

export const metadata: Metadata = { title: "API reference" };

const SECTIONS = [
  ["authentication", "Authentication"],
  ["endpoints", "Endpoints"],
  ["errors", "Errors"],
  ["limits", "Limits, and how to wait"],
  ["headers", "Headers"],
  ["health-score", "The health score"],
  ["prometheus", "Prometheus"],
  ["clients", "Clients and the document"],
  ["versioning", "Versions"],
] as const;

export default async function Page() {
  const [account, origin] = await Promise.all([findAccount(), pageOrigin()]);
  const ids = await idsFor(account?.id ?? null);
  const document = openApiDocument(origin);
  const { paths, components } = document;
  const server = examples["/api/v1/servers/:id"].data;
  return (
    <>
      <SiteHeader>
        <HeaderNavigation>
          {account ? <Link href={TOKEN_PAGE}>API tokens</Link> : <Link href={SIGN_IN}>Sign in</Link>}
        </HeaderNavigation>
      </SiteHeader>
      <main id="main" className={`page ${styles.page}`}>
        <h1>API reference</h1>
        <p className={styles.lead}>
          Read-only JSON about your account, your servers, their benchmark runs, and your game-protection services. A
          success is <code>{'{"data": …}'}</code>, a failure <code>{'{"error": "<message>"}'}</code> and nothing else.
          Timestamps are Unix epoch milliseconds. Lists come whole.
        </p>
        <nav aria-label="On this page">
          <ul className={styles.contents}>
            {SECTIONS.map(([id, title]) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>

        <Section id="authentication" title="Authentication">
          <p>
            Every request carries a personal access token, which you create on the page{" "}
            <Link href={TOKEN_PAGE}>API tokens</Link>. It acts as your account and can change nothing. Cookies are never
            honoured. Keep it out of your shell’s history:
          </p>
          <CodeBlock label="Paste the token, then Enter" text="read -rs TOKEN && export TOKEN" />
          <p>
            Tokens match <code>cpat_[0-9A-Za-z]&#123;36&#125;</code>. One that is revoked or has expired, and any of a
            disabled account, is refused from the next request on.
          </p>
          <p>
            A token sees what its account sees in the dashboard. What belongs to others is answered as if it did not
            exist. Staff accounts also see a game service whose owner switched on support access or has an open ticket
            linked to it; their lists hold only what they own or were granted.
          </p>
        </Section>

        <Section id="endpoints" title="Endpoints">
          {account && ids.areOwn && <p>The examples carry your own ids and the URL of this console.</p>}
          {Object.entries(paths).map(([path, { get }]) => (
            <EndpointSection
              key={path}
              path={path}
              operation={get}
              url={origin + path.replace("{id}", String(path.includes("/servers") ? ids.server : ids.service))}
              schemas={components.schemas}
            />
          ))}
        </Section>

        <Section id="errors" title="Errors">
          <p>They are found in this order: 401, 429, 404 and 405, 404 for what is not yours, 400.</p>
          <dl className={styles.fields}>
            {failuresOf(document).map(({ status, description, messages }) => (
              <div key={status} className={styles.field}>
                <dt>
                  <code>{status}</code>
                </dt>
                <dd className="soft">
                  {description}
                  {messages.map((message) => (
                    <code key={message} className={styles.message}>
                      {message}
                    </code>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </Section>

        <Section id="limits" title="Limits, and how to wait">
          <p>
            120 requests in any 60 seconds per token, over all endpoints together. A request that is refused with 429 or
            401 is not counted, and neither is a preflight. Every answer says what is left; a 429 says in{" "}
            <code>Retry-After</code> how many seconds to sleep, and whoever sleeps that long is let in. Many programs do
            it by themselves:
          </p>
          <CodeBlock
            label="Waits as long as it is told to"
            text={`curl -sS --fail-with-body --retry 5 "${origin}/api/v1/me" -H "Authorization: Bearer $TOKEN"`}
          />
          <p>
            For a whole fleet at once there is <a href="#prometheus">one request</a>. At most 16 KB of request line and
            headers are read.
          </p>
        </Section>

        <Section id="headers" title="Headers">
          <dl className={styles.fields}>
            {Object.entries(components.headers).map(([name, { description, example }]) => (
              <div key={name} className={styles.field}>
                <dt>
                  <code>{name}</code>
                </dt>
                <dd className="soft">
                  {description}
                  <code className={styles.message}>{String(example)}</code>
                </dd>
              </div>
            ))}
          </dl>
        </Section>

        <HealthScoreSection
          label={server.label}
          score={server.score}
          components={server.score_components}
          notes={server.score_notes}
        />

        <Section id="prometheus" title="Prometheus">
          <p>
            <code>GET /metrics</code> is the whole account in one answer, with the same token, counted as one request:
            scores, components, last check-ins, latest samples, and for each game service of the list its state and the
            newest interval of every node. Seconds, bytes and ratios, all of them gauges.
          </p>
          <CodeBlock label="A scrape" text={`curl -sS "${origin}/metrics" -H "Authorization: Bearer $TOKEN"`} />
          <CodeBlock
            label="prometheus.yml"
            text={`scrape_configs:
  - job_name: console
    scrape_interval: 60s
    scheme: ${new URL(origin).protocol.slice(0, -1)}
    authorization:
      credentials_file: /etc/prometheus/console-token
    static_configs:
      - targets: ["${new URL(origin).host}"]`}
          />
        </Section>

        <Section id="clients" title="Clients and the document">
          <p>
            <a href="/openapi.json">openapi.json</a> describes all of this for machines (OpenAPI 3.1). Made from it,
            each one file without dependencies, which waits for <code>Retry-After</code> by itself:{" "}
            <a href="/clients/console-api.ts">console-api.ts</a> and{" "}
            <a href="/clients/console_api.py">console_api.py</a>.
          </p>
        </Section>

        <Section id="versioning" title="Versions">
          <p>
            The version is part of the path. Within v1 we may add endpoints, optional parameters, fields, headers and
            values of a state: ignore what you do not know. The wording of messages may change. Nothing is removed,
            renamed or given another type, unit or meaning.
          </p>
          <p>
            Should an endpoint have to go, its answers say so in the header <code>Deprecation</code> (RFC 9745), with
            the day from which it is deprecated, and in <code>Sunset</code> (RFC 8594), with the day on which it ends:
            at least twelve months later. A <code>Link</code> with <code>rel="deprecation"</code> leads to what replaces
            it. No answer carries them today.
          </p>
        </Section>
      </main>
    </>
  );
}

/** Of the reader's own things where there are any, else those of the examples. */
async function idsFor(accountId: number | null): Promise<{ server: number; service: number; areOwn: boolean }> {
  const shown = {
    server: examples["/api/v1/servers/:id"].data.id,
    service: examples["/api/v1/game-services/:id"].data.id,
  };
  if (accountId === null) return { ...shown, areOwn: false };
  const [{ servers }, { services }] = await Promise.all([listServers(accountId), listGameServices(accountId)]);
  const [server, service] = [servers[0]?.id, services[0]?.id];
  return {
    server: server ?? shown.server,
    service: service ?? shown.service,
    areOwn: server !== undefined || service !== undefined,
  };
}

/** Every failure that the document knows, by status, with its messages. */
function failuresOf({ paths, components, "x-other-requests": others }: OpenApiDocument) {
  const described = [...Object.values(paths).map(({ get }) => get), ...Object.values(others)];
  const byStatus = new Map<string, ApiResponse>();
  for (const { responses } of described) {
    for (const [status, response] of Object.entries(responses)) {
      const known = "$ref" in response ? components.responses[response.$ref.split("/").at(-1) ?? ""] : response;
      if (known && Number(status) >= 400) byStatus.set(status, known);
    }
  }
  return [...byStatus.entries()].sort().map(([status, { description, content }]) => ({
    status,
    description,
    messages: Object.values(content?.["application/json"].examples ?? {}).map(
      ({ value }) => (value as { error: string }).error,
    ),
  }));
}
