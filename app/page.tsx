import { headers } from "next/headers";
import Link from "next/link";
import { API_REFERENCE, SIGN_IN, TOKEN_PAGE } from "@/app/paths";
import { ENDPOINTS } from "@/lib/api/contract";
import examples from "@/lib/api/examples.json";
import { servedOrigin } from "@/lib/http/own-origin";
import { API_REQUESTS, policyText } from "@/lib/rate-limit/policy";
import { findAccount } from "@/lib/sign-in/sessions";
import { AccountHeader } from "./dashboard/account-header";
import styles from "./page.module.css";
import { CodeBlock } from "./ui/code-block";
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
            <Link href={SIGN_IN}>Sign in</Link>
          </HeaderNavigation>
        </SiteHeader>
      )}
      <main id="main" className="page">
        <div className={styles.intro}>
          <h1 className={styles.title}>Your servers, readable by your scripts</h1>
          <p className={styles.lead}>
            The Console API is a read-only JSON interface to your account: servers with health scores, benchmark runs,
            game-protection services and their traffic. One token, one header, {ENDPOINTS.length} endpoints.
          </p>
          <p className={styles.actions}>
            {account ? (
              <Link className="button" href={TOKEN_PAGE}>
                Manage API tokens
              </Link>
            ) : (
              <Link className="button" href={SIGN_IN}>
                Sign in to get a token
              </Link>
            )}
          </p>
        </div>
        <div className={styles.exchange}>
          <CodeBlock
            label="A first request"
            text={`curl -sS ${origin}/api/v1/servers -H "Authorization: Bearer $TOKEN"`}
          />
          <CodeBlock label="Its answer" text={JSON.stringify(examples["/api/v1/servers"], null, 2)} />
        </div>
        <section className={styles.endpoints} aria-labelledby="endpoints">
          <h2 id="endpoints">What you can read</h2>
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
          <p className="soft">
            {policyText(API_REQUESTS)} per token. Nothing can be changed through the API. Fields, errors and examples
            are in the{" "}
            <Link className="inline-link" href={API_REFERENCE} prefetch={false}>
              API reference
            </Link>
            .
          </p>
        </section>
      </main>
    </>
  );
}
