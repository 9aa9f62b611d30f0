import { requireAccount } from "@/lib/sign-in/sessions";
import { AccountHeader } from "./account-header";

export default async function Layout({ children }: { children: React.ReactNode }) {
  return (
    <>
      <AccountHeader account={await requireAccount()} />
      {children}
    </>
  );
}
