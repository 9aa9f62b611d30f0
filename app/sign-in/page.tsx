import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { parseOwnPath } from "@/lib/http/own-path";
import { DASHBOARD } from "@/lib/page-paths";
import { findAccount } from "@/lib/sign-in/sessions";
import { LoneCard } from "../ui/lone-card";
import { Notice } from "../ui/notice";
import { SignInForm } from "./sign-in-form";

export const metadata: Metadata = { title: "Sign in" };

export default async function Page({ searchParams }: PageProps<"/sign-in">) {
  const query = await searchParams;
  const next = typeof query.next === "string" ? parseOwnPath(query.next) : null;
  if (await findAccount()) redirect(next ?? DASHBOARD);
  return (
    <LoneCard
      title="Sign in"
      below={<p className="hint center">No account, or no password? The operator of this console creates both.</p>}
    >
      {query["signed-out"] !== undefined && (
        <Notice tone="done" isQuiet>
          You are signed out.
        </Notice>
      )}
      {query.ended !== undefined && (
        <Notice tone="warning" isQuiet>
          Your session ended. Sign in again to go on{next && " where you were"}.
        </Notice>
      )}
      <SignInForm next={next} />
    </LoneCard>
  );
}
