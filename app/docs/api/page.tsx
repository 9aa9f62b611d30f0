import type { Metadata } from "next";
import { headers } from "next/headers";
import { ReaderHeader } from "@/app/dashboard/account-header";
import { InTurns } from "@/app/ui/in-turns";
import { EXAMPLE_IDS } from "@/lib/api/example-ids";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { LEAD, referenceSections } from "@/lib/api/reference";
import { servedDocument } from "@/lib/api/served-document";
import { listGameServices } from "@/lib/game-services/game-services";
import { listServers } from "@/lib/servers/servers";
import { findAccount } from "@/lib/sign-in/sessions";
import { Prose, ReferenceBlock } from "./blocks";
import { EndpointSection } from "./endpoint-section";
import styles from "./page.module.css";
import { ReferenceSearch } from "./reference-search";
import { Section } from "./section";

export const metadata: Metadata = { title: "API reference" };

export default async function Page() {
  const account = await findAccount();
  const { document, origin } = servedDocument(await headers());
  const ids = await idsFor(account?.id ?? null);
  return (
    <>
      <ReaderHeader account={account} />
      <Reference document={document} origin={origin} ids={ids} />
    </>
  );
}

type Ids = { server: number; service: number; areOwn: boolean };

/** The whole reference: the sections that /docs/api.md has as well, with an index above or beside them. */
function Reference({ document, origin, ids }: { document: OpenApiDocument; origin: string; ids: Ids }) {
  const sections = referenceSections(document, origin);
  return (
    <main id="main" className={`page ${styles.page}`}>
      <h1>API reference</h1>
      <p className={styles.lead}>
        <Prose text={LEAD} />
      </p>
      <nav aria-label="On this page">
        <ReferenceSearch />
        <ul className={styles.contents}>
          {sections.map(({ id, title, blocks }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
              {blocks.some(({ kind }) => kind === "endpoints") && <EndpointLinks document={document} />}
            </li>
          ))}
        </ul>
      </nav>
      <div className={`stack ${styles.sections}`}>
        <InTurns items={sections} atOnce={1}>
          {({ id, title, blocks }) => (
            <Section key={id} id={id} title={title}>
              {blocks.map((block, index) =>
                block.kind === "endpoints" ? (
                  <Endpoints key={block.kind} document={document} origin={origin} ids={ids} />
                ) : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the blocks of a section never change their order
                  <ReferenceBlock key={index} block={block} />
                ),
              )}
            </Section>
          )}
        </InTurns>
      </div>
    </main>
  );
}

/** The endpoints by their paths, under their section in the contents. */
function EndpointLinks({ document }: { document: OpenApiDocument }) {
  return (
    <ul className={styles.endpoints}>
      {Object.entries(document.paths).map(([path, { get }]) => (
        <li key={path}>
          <a href={`#${get.operationId}`} title={get.summary}>
            {path.replace("/api/v1", "")}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Endpoints({ document, origin, ids }: { document: OpenApiDocument; origin: string; ids: Ids }) {
  return (
    <>
      <dl className={styles.fields}>
        {Object.entries(document.paths).map(([path, { get }]) => (
          <div key={path} className={styles.field}>
            <dt>
              <a className={styles.target} href={`#${get.operationId}`}>
                <code>GET {path}</code>
              </a>
            </dt>
            <dd className="soft">{get.summary}</dd>
          </div>
        ))}
      </dl>
      {ids.areOwn && <p>The examples carry your own ids and the URL of this console.</p>}
      <InTurns items={Object.entries(document.paths)} atOnce={1}>
        {([path, { get }]) => (
          <EndpointSection
            key={path}
            path={path}
            operation={get}
            origin={origin}
            ids={ids}
            schemas={document.components.schemas}
          />
        )}
      </InTurns>
    </>
  );
}

/** The ids in the examples: the reader's own where there are any, else those of the example answers. */
async function idsFor(accountId: number | null): Promise<Ids> {
  if (accountId === null) return { ...EXAMPLE_IDS, areOwn: false };
  const [{ servers }, { services }] = await Promise.all([listServers(accountId), listGameServices(accountId)]);
  const [server, service] = [servers[0]?.id, services[0]?.id];
  return {
    server: server ?? EXAMPLE_IDS.server,
    service: service ?? EXAMPLE_IDS.service,
    areOwn: server !== undefined || service !== undefined,
  };
}
