import type { Metadata } from "next";
import { ReaderHeader } from "@/app/dashboard/account-header";
import { blocksOf, Markdown, partsOf } from "@/app/ui/markdown";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { findAccount } from "@/lib/sign-in/sessions";
import { readChangelog } from "./changelog";
import styles from "./page.module.css";

export const metadata: Metadata = { title: "Changelog" };

/** What users of the API and operators notice, the newest on top, for everybody. */
export default async function Page() {
  const account = await findAccount();
  const [, ...releases] = partsOf(blocksOf(readChangelog()), 2);
  return (
    <>
      <ReaderHeader account={account} />
      <main id="main" className="page parts">
        <PageHeader title="Changelog">
          What users of the API and operators notice, the newest on top.{" "}
          <a className="inline-link" href="/changelog.md">
            As Markdown
          </a>
          .
        </PageHeader>
        {releases.map(({ title, blocks }, index) => (
          <Section key={title} id={`release-${index + 1}`} title={title}>
            <div className={`stack tight measure ${styles.release}`}>
              <Markdown blocks={blocks} />
            </div>
          </Section>
        ))}
      </main>
    </>
  );
}
