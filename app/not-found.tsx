import type { Metadata } from "next";
import { headers } from "next/headers";
import { PATH_HEADER } from "@/lib/http/own-path";
import { DASHBOARD, findOwnPage, NO_PAGE } from "@/lib/page-paths";
import { findAccount } from "@/lib/sign-in/sessions";
import { AccountHeader } from "./dashboard/account-header";
import { MISSING_THINGS } from "./missing-things";
import { NoSuchPage } from "./ui/no-such-page";
import { SiteHeader } from "./ui/site-header";

export const metadata: Metadata = { title: "Page not found" };

/** Also for a page of a thing that the account does not have: `proxy.ts` sends it here, where the status is 404. */
export default async function NotFound() {
  const [account, path] = await Promise.all([findAccount(), requestedPath()]);
  const kind = account && findOwnPage(path)?.kind;
  const home =
    account && path.startsWith(`${DASHBOARD}/`)
      ? { href: DASHBOARD, label: "Go to your servers" }
      : { href: "/", label: "Go to the start page" };
  return (
    <>
      {account ? <AccountHeader account={account} /> : <SiteHeader />}
      <NoSuchPage {...(kind ? MISSING_THINGS[kind] : { home })} />
    </>
  );
}

async function requestedPath(): Promise<string> {
  const path = (await headers()).get(PATH_HEADER)?.split("?")[0] ?? "";
  return path.startsWith(`${NO_PAGE}/`) ? path.slice(NO_PAGE.length) : path;
}
