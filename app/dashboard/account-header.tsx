import { Link } from "@/app/ui/link";
import { SiteHeader } from "@/app/ui/site-header";
import type { Account } from "@/lib/accounts/accounts";
import { SIGN_IN } from "@/lib/page-paths";
import { AccountMenu } from "./account-menu";
import { FreshAfterBack } from "./fresh-after-back";
import { MainNavigation } from "./main-navigation";
import { ROLE_NAMES } from "./settings/account/role-names";

/** The bar at the top of every page that somebody who is signed in sees. */
export function AccountHeader({ account: { name, email, role } }: { account: Account }) {
  return (
    <SiteHeader navigation={<MainNavigation isAdmin={role === "admin"} />}>
      <FreshAfterBack />
      <AccountMenu name={name} email={email} role={ROLE_NAMES[role]} />
    </SiteHeader>
  );
}

type ReaderProps = { account: Account | null; children?: React.ReactNode };

/** The bar at the top of a page for everybody; to strangers it shows links, `children` before the last. */
export function ReaderHeader({ account, children }: ReaderProps) {
  if (account) return <AccountHeader account={account} />;
  return (
    <SiteHeader>
      <nav className="row apart push medium" aria-label="Main">
        {children}
        <Link className="control plain" href={SIGN_IN}>
          Sign in
        </Link>
      </nav>
    </SiteHeader>
  );
}
