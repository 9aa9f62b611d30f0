import type { Metadata } from "next";
import { ReaderHeader } from "@/app/dashboard/account-header";
import { Prose } from "@/app/docs/api/blocks";
import { PageHeader } from "@/app/ui/page-header";
import { Section } from "@/app/ui/section";
import { findAccount } from "@/lib/sign-in/sessions";
import { parseChangelog, readChangelog } from "./changelog";
import styles from "./page.module.css";

export const metadata: Metadata = { title: "Changelog" };

/** What users of the API and operators notice, the newest on top, for everybody. */
export default async function Page() {
  const account = await findAccount();
  return (
    <>
      <ReaderHeader account={account} />
      <main id="main" className="page parts">
        <PageHeader title="Changelog">
          <p>
            What users of the API and operators notice, the newest on top.{" "}
            <a className="inline-link" href="/changelog.md">
              As Markdown
            </a>
            .
          </p>
        </PageHeader>
        {parseChangelog(readChangelog()).map(({ title, groups }, index) => (
          <Section key={title} id={`release-${index + 1}`} title={title}>
            {groups.map((group) => (
              <div key={group.title} className={styles.group}>
                {group.title !== "" && <h3>{group.title}</h3>}
                <ul className={styles.items}>
                  {group.items.map((item) => (
                    <li key={item}>
                      <Prose text={item} />
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </Section>
        ))}
      </main>
    </>
  );
}
