import { headers } from "next/headers";
import { Link } from "@/app/ui/link";
import { Code } from "@/app/ui/name";
import { servedOrigin } from "@/lib/http/own-origin";
import { API_REFERENCE, DASHBOARD, GAME_SERVICES, SIGN_IN } from "@/lib/page-paths";
import { env } from "@/lib/process/env";
import { API_REQUESTS, policyText } from "@/lib/rate-limit/policy";
import { findAccount } from "@/lib/sign-in/sessions";
import { ReaderHeader } from "./dashboard/account-header";
import { installLines } from "./dashboard/servers/install-lines";
import { FleetPicture, ProtectionPicture } from "./landing-picture";
import styles from "./page.module.css";
import { CodeBlock } from "./ui/code-block";
import { Section } from "./ui/section";

export default async function Page() {
  const account = await findAccount();
  const origin = servedOrigin(await headers());
  return (
    <>
      <ReaderHeader account={account}>
        <Link className="control plain" href={API_REFERENCE}>
          Docs
        </Link>
      </ReaderHeader>
      <main id="main" className={`page parts ${styles.landing}`}>
        <div className={`beside ${styles.hero}`}>
          <div className="stack loose">
            <h1 className={styles.title}>Know which server needs you</h1>
            <p className="lead measure">
              One health score with its reasons for every server, and protection from attacks for your game servers. A
              read-only API brings both to your own dashboards and scripts.
            </p>
            <p className="row">
              <Link className="button" href={account ? DASHBOARD : SIGN_IN}>
                {account ? "Go to your servers" : "Sign in"}
              </Link>
              <Link href={API_REFERENCE}>Read the API reference</Link>
            </p>
            {!account && <WhoMaySignUp />}
          </div>
          <FleetPicture />
        </div>
        <Steps origin={origin} />
        <Section id="protection" title="Game servers that stay playable">
          <div className="beside">
            <div className="stack">
              <p>
                Players join through edge nodes, which filter attacks and hide your server&apos;s address. Point its
                name at them, and see here what each node serves and how much it dropped.
              </p>
              <p>
                <Link className="inline-link" href={account ? GAME_SERVICES : SIGN_IN}>
                  {account ? "Go to your game services" : "Sign in to protect one"}
                </Link>
              </p>
            </div>
            <ProtectionPicture />
          </div>
        </Section>
      </main>
    </>
  );
}

/** From nothing to the first answer of the API. */
function Steps({ origin }: { origin: string }) {
  return (
    <ol className="stack loose">
      <li className={`card ${styles.step}`}>
        <div className="stack">
          <h2>Add a server</h2>
          <p className="soft">Name it, paste two lines into its terminal, and its health is here within a minute.</p>
        </div>
        <CodeBlock label="In a terminal of the server" text={installLines(origin)} />
      </li>
      <li className={`card ${styles.step}`}>
        <div className="stack">
          <h2>Create a token</h2>
          <p className="soft">
            Each program gets its own. It is shown once, can change nothing, and is revoked in seconds.
          </p>
        </div>
        <div className={`row close spread sunken ${styles.token}`}>
          <span>
            <strong>Grafana</strong> <Code>cpat_…7vE9</Code> <span className="badge">Read-only</span>
          </span>
          <span className="hint">Last used 4 minutes ago from 198.51.100.44</span>
        </div>
      </li>
      <li className={`card ${styles.step}`}>
        <div className="stack">
          <h2>Read it anywhere</h2>
          <p className="soft">
            One header, plain JSON, an OpenAPI document, and numbers for Prometheus. {policyText(API_REQUESTS)} per
            token.
          </p>
        </div>
        <CodeBlock
          label="A first request"
          text={`curl -sS \\\n${origin}/api/v1/servers \\\n-H "Authorization: Bearer $TOKEN"`}
        />
      </li>
    </ol>
  );
}

/** There is no form to sign up: accounts are made with a command. */
function WhoMaySignUp() {
  return (
    <p className="hint">
      The operator of this console creates accounts:{" "}
      {env.contactUrl ? (
        <a className="inline-link" href={env.contactUrl}>
          ask for one
        </a>
      ) : (
        "ask for one"
      )}
      .
    </p>
  );
}
