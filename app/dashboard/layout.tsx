import { TimeZoneProvider } from "@/app/ui/time-zone";
import { UsernameProvider } from "@/app/ui/username";
import { requireAccount } from "@/lib/sign-in/sessions";
import { AccountHeader } from "./account-header";
import { BrowserZone } from "./browser-zone";

export default async function Layout({ children }: { children: React.ReactNode }) {
  const account = await requireAccount();
  return (
    <TimeZoneProvider zone={account.timeZone}>
      {!account.hasChosenZone && <BrowserZone shown={account.timeZone} />}
      <AccountHeader account={account} />
      <UsernameProvider email={account.email}>{children}</UsernameProvider>
    </TimeZoneProvider>
  );
}
