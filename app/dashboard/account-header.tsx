import { SiteHeader } from "@/app/ui/site-header";
import type { Account } from "@/lib/accounts/accounts";
import styles from "./account-header.module.css";
import { signOutAction } from "./actions";
import { MainNavigation } from "./main-navigation";

/** The bar at the top of every page that somebody who is signed in sees. */
export function AccountHeader({ account }: { account: Account }) {
  return (
    <SiteHeader>
      <MainNavigation />
      <div className={styles.account}>
        <span className={styles.email} title={account.name}>
          <span className="visually-hidden">Signed in as </span>
          {account.email}
        </span>
        <form action={signOutAction}>
          <button type="submit" className="button quiet small">
            Sign out
          </button>
        </form>
      </div>
    </SiteHeader>
  );
}
