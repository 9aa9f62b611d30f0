import { SiteHeader } from "@/app/ui/site-header";
import type { Account } from "@/lib/accounts/accounts";
import styles from "./account-header.module.css";
import { MainNavigation } from "./main-navigation";
import { SignOut } from "./sign-out";

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
        <SignOut />
      </div>
    </SiteHeader>
  );
}
