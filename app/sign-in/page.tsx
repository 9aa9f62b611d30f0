import type { Metadata } from "next";
import Link from "next/link";
import { redirect } from "next/navigation";
import { parseOwnPath } from "@/lib/http/own-path";
import { DASHBOARD } from "@/lib/page-paths";
import { findAccount } from "@/lib/sign-in/sessions";
import { Logo } from "../ui/logo";
import { Notice } from "../ui/notice";
import styles from "./page.module.css";
import { SignInForm } from "./sign-in-form";

export const metadata: Metadata = { title: "Sign in" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const query = await searchParams;
  const next = typeof query.next === "string" ? parseOwnPath(query.next) : null;
  if (await findAccount()) redirect(next ?? DASHBOARD);
  return (
    <main id="main" className={styles.page}>
      <Link href="/" className={styles.home} prefetch={false}>
        <Logo />
      </Link>
      <div className={`card ${styles.card}`}>
        <h1>Sign in</h1>
        {query["signed-out"] !== undefined && (
          <Notice tone="done" role="status" isQuiet>
            You are signed out.
          </Notice>
        )}
        {query.ended !== undefined && (
          <Notice tone="warning" role="status" isQuiet>
            Your session ended. Sign in again to go on{next && " where you were"}.
          </Notice>
        )}
        <SignInForm next={next} />
      </div>
      <p className={`hint ${styles.help}`}>No account, or no password? The operator of this console creates both.</p>
    </main>
  );
}
