import { SignedIn } from "@/app/ui/signed-in";
import { requireAccount } from "@/lib/sign-in/sessions";
import { AccountHeader } from "./account-header";
import { BrowserZone } from "./browser-zone";

export default async function Layout({ children }: { children: React.ReactNode }) {
  const account = await requireAccount();
  return (
    <SignedIn email={account.email} timeZone={account.timeZone}>
      {!account.hasChosenZone && <BrowserZone shown={account.timeZone} />}
      <AccountHeader account={account} />
      {children}
    </SignedIn>
  );
}
