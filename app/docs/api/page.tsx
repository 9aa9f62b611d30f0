import type { Metadata } from "next";
import { headers } from "next/headers";
import { ReaderHeader } from "@/app/dashboard/account-header";
import { InTurns } from "@/app/ui/in-turns";
import { blocksOf, Markdown, type Part, partsOf, Words } from "@/app/ui/markdown";
import { Code } from "@/app/ui/name";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { writeReference } from "@/lib/api/reference";
import type { OwnIds } from "@/lib/api/reference-tables";
import { servedDocument } from "@/lib/api/served-document";
import { listGameServices } from "@/lib/game-services/game-services";
import { listServers } from "@/lib/servers/servers";
import { findAccount } from "@/lib/sign-in/sessions";
import { specialBlock } from "./blocks";
import { Endpoint } from "./endpoint";
import styles from "./page.module.css";
import { ReferenceSearch } from "./reference-search";
import { Section } from "./section";

export const metadata: Metadata = { title: "API reference" };

/** The text of /docs/api.md as a page, with an index above or beside its sections. */
export default async function Page() {
  const account = await findAccount();
  const { document, origin } = servedDocument(await headers());
  const text = writeReference(document, origin, account ? await ownIdsOf(account.id) : {});
  const [beginning, ...sections] = partsOf(blocksOf(text), 2);
  const lead = beginning?.blocks.find((block) => block.type === "paragraph");
  return (
    <>
      <ReaderHeader account={account} />
      <main id="main" className={`page stack breaks ${styles.page}`}>
        <h1>API reference</h1>
        <p className="lead">
          <Words of={lead?.tokens} />
        </p>
        <nav aria-label="On this page">
          <ReferenceSearch />
          <ul className={`row ${styles.contents}`}>
            {sections.map(({ id, title }) => (
              <li key={id} className={id === "endpoints" ? "whole" : undefined}>
                <a className="control small" href={`#${id}`}>
                  {title}
                </a>
                {id === "endpoints" && <EndpointLinks document={document} />}
              </li>
            ))}
          </ul>
        </nav>
        <div className={`stack ${styles.sections}`}>
          <InTurns items={sections} atOnce={1}>
            {({ id, title, blocks }) => (
              <Section key={id} id={id} title={title}>
                {id === "endpoints" ? (
                  <Endpoints document={document} parts={partsOf(blocks, 3)} />
                ) : (
                  <Markdown blocks={blocks} special={specialBlock} />
                )}
              </Section>
            )}
          </InTurns>
        </div>
      </main>
    </>
  );
}

/** The endpoints by their paths, under their section in the contents. */
function EndpointLinks({ document }: { document: OpenApiDocument }) {
  return (
    <ul className={`text-sm ${styles.endpoints}`}>
      {Object.entries(document.paths).map(([path, { get }]) => (
        <li key={path}>
          <a className="target" href={`#${get.operationId}`} title={get.summary}>
            {path.replace("/api/v1", "")}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** An overview of the endpoints, and each of them. A part without a title is a note on all. */
function Endpoints({ document, parts }: { document: OpenApiDocument; parts: Part[] }) {
  return (
    <>
      <dl className={styles.fields}>
        {Object.entries(document.paths).map(([path, { get }]) => (
          <div key={path} className={styles.field}>
            <dt>
              <a className="target" href={`#${get.operationId}`}>
                <Code>GET {path}</Code>
              </a>
            </dt>
            <dd className="soft">{get.summary}</dd>
          </div>
        ))}
      </dl>
      <InTurns items={parts} atOnce={1}>
        {(part) =>
          part.title === "" ? <Markdown key="note" blocks={part.blocks} /> : <Endpoint key={part.id} {...part} />
        }
      </InTurns>
    </>
  );
}

/** The first server and game service of an account, for the examples. */
async function ownIdsOf(accountId: number): Promise<OwnIds> {
  const [{ servers }, { services }] = await Promise.all([listServers(accountId), listGameServices(accountId)]);
  return { server: servers[0]?.id, service: services[0]?.id };
}
