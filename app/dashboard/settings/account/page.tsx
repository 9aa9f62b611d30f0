import type { Metadata } from "next";
import { Details } from "@/app/ui/details";
import { Name } from "@/app/ui/name";
import { PageHeader } from "@/app/ui/page-header";
import { readColorScheme } from "@/app/ui/read-color-scheme";
import { SettingsSection } from "@/app/ui/section";
import { listTimeZones } from "@/lib/accounts/time-zone";
import { needsPassword } from "@/lib/sign-in/confirmation";
import { listSessions } from "@/lib/sign-in/open-sessions";
import { requireAccount } from "@/lib/sign-in/sessions";
import { ColorSchemeForm } from "./color-scheme-form";
import { PasswordForm } from "./password-form";
import { ROLE_NAMES } from "./role-names";
import { Sessions } from "./sessions";
import { TimeZoneForm } from "./time-zone-form";

export const metadata: Metadata = { title: "Account" };

/** Who is signed in, where, and how pages look to them. */
export default async function Page() {
  const account = await requireAccount();
  const [sessions, asksPassword, colorScheme] = await Promise.all([
    listSessions(account.id),
    needsPassword(),
    readColorScheme(),
  ]);
  return (
    <main id="main" className="page parts">
      <PageHeader title="Account">
        Your password, the browsers that are signed in, and how the console looks.
      </PageHeader>
      <SettingsSection id="profile" title="Profile" about="The operator of this console changes these.">
        <Details
          rows={[
            ["Name", <Name key="name">{account.name}</Name>],
            ["E-mail", <Name key="e-mail">{account.email}</Name>],
            ["Role", ROLE_NAMES[account.role]],
          ]}
        />
      </SettingsSection>
      <SettingsSection
        id="appearance"
        title="Colour scheme"
        about="Kept in this browser. “System” follows what your system prefers."
      >
        <ColorSchemeForm current={colorScheme} />
      </SettingsSection>
      <SettingsSection
        id="zone"
        title="Time zone"
        about="Charts, tables and dates of the console use it. The API uses Unix milliseconds."
      >
        <TimeZoneForm current={account.timeZone} zones={listTimeZones()} />
      </SettingsSection>
      <SettingsSection
        id="password"
        title="Password"
        about="A new password signs out all your other browsers. Your tokens go on working."
      >
        <PasswordForm />
      </SettingsSection>
      <SettingsSection
        id="sessions"
        title="Sessions"
        about="The browsers in which you are signed in. Sign out those that you do not know, and change your password."
      >
        <Sessions sessions={sessions} asksPassword={asksPassword} now={new Date()} />
      </SettingsSection>
    </main>
  );
}
