import { headers } from "next/headers";
import Link from "next/link";
import { ENDPOINTS } from "@/lib/api/contract";
import examples from "@/lib/api/examples.json";
import { servedOrigin } from "@/lib/http/own-origin";
import { API_REFERENCE, DASHBOARD, SIGN_IN } from "@/lib/page-paths";
import { API_REQUESTS, policyText } from "@/lib/rate-limit/policy";
import { findAccount } from "@/lib/sign-in/sessions";
import { AccountHeader } from "./dashboard/account-header";
import { FleetPicture } from "./landing-picture";
import styles from "./page.module.css";
import { CodeBlock } from "./ui/code-block";
import { Section } from "./ui/section";
import { HeaderNavigation, SiteHeader } from "./ui/site-header";

export default async function Page() {
  const account = await findAccount();
  const origin = servedOrigin(await headers());
  return (
    <>
      {account ? (
        <AccountHeader account={account} />
      ) : (
        <SiteHeader>
          <HeaderNavigation>
            <Link href={API_REFERENCE} prefetch={false}>
              Docs
            </Link>
            <Link href={SIGN_IN} prefetch={false}>
              Sign in
            </Link>
          </HeaderNavigation>
        </SiteHeader>
      )}
      <main id="main" className={`page parts ${styles.landing}`}>
        <div className={styles.hero}>
          <div className={styles.intro}>
            <h1 className={styles.title}>Know which server needs you</h1>
            <p className={styles.lead}>
              One score from 0 to 1000 for every server, with the reasons for it, and a read-only API for your own
              dashboards and scripts.
            </p>
            <p className="row">
              <Link className="button" href={account ? DASHBOARD : SIGN_IN} prefetch={false}>
                {account ? "Go to your servers" : "Sign in"}
              </Link>
              <Link href={API_REFERENCE} prefetch={false}>
                Read the API reference
              </Link>
            </p>
          </div>
          <FleetPicture />
        </div>
        <ol className={styles.steps}>
          <li className={`card ${styles.step}`}>
            <div className="stack">
              <h2>Add a server</h2>
              <p className="soft">
                Name it, paste two lines into its terminal, and its health is here within a minute.
              </p>
            </div>
            <CodeBlock
              label="In a terminal of the server"
              text={`curl -fsSO \\\n${origin}/agent.sh\nsudo sh agent.sh install \\\n${origin}`}
            />
          </li>
          <li className={`card ${styles.step}`}>
            <div className="stack">
              <h2>Create a token</h2>
              <p className="soft">
                Each program gets its own. It is shown once, can change nothing, and is revoked in seconds.
              </p>
            </div>
            <div className={styles.token}>
              <span>
                <strong>Grafana</strong> <code>cpat_…7vE9</code> <span className="badge">Read-only</span>
              </span>
              <span className="hint">Last used 4 minutes ago from 198.51.100.44</span>
            </div>
          </li>
          <li className={`card ${styles.step}`}>
            <div className="stack">
              <h2>Read it anywhere</h2>
              <p className="soft">One header, plain JSON, an OpenAPI document, and numbers for Prometheus.</p>
            </div>
            <CodeBlock
              label="A first request"
              text={`curl -sS \\\n${origin}/api/v1/servers \\\n-H "Authorization: Bearer $TOKEN"`}
            />
          </li>
        </ol>
        <Section id="endpoints" title="What the API answers">
          <dl className={styles.list}>
            {ENDPOINTS.map(([path, { purpose }]) => (
              <div key={path} className={styles.endpoint}>
                <dt>
                  <code>GET {path}</code>
                </dt>
                <dd className="soft">{purpose}</dd>
              </div>
            ))}
          </dl>
          <details className="disclosure">
            <summary>An answer</summary>
            <CodeBlock label="GET /api/v1/servers" text={JSON.stringify(examples["/api/v1/servers"], null, 2)} />
          </details>
          <p className="soft">
            {policyText(API_REQUESTS)} per token. Nothing can be changed through the API. Fields, errors and examples
            are in the{" "}
            <Link className="inline-link" href={API_REFERENCE} prefetch={false}>
              API reference
            </Link>
            .
          </p>
        </Section>
      </main>
    </>
  );
}
