import type { Metadata } from "next";
import { findAccount } from "@/lib/sign-in/sessions";
import { AccountHeader } from "./dashboard/account-header";
import { NoSuchPage } from "./ui/no-such-page";
import { SiteHeader } from "./ui/site-header";

export const metadata: Metadata = { title: "Page not found" };

export default async function NotFound() {
  const account = await findAccount();
  return (
    <>
      {account ? <AccountHeader account={account} /> : <SiteHeader />}
      <NoSuchPage home={{ href: "/", label: "Go to the start page" }} />
    </>
  );
}
