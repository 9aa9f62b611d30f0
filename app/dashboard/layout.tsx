import Link from "next/link";
import { TOKEN_PAGE } from "@/app/paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import { SiteHeader } from "../ui/site-header";
import { signOutAction } from "./actions";
import styles from "./layout.module.css";

export default async function Layout({ children }: { children: React.ReactNode }) {
  const account = await requireAccount();
  return (
    <>
      <SiteHeader>
        <nav className={styles.nav} aria-label="Main">
          <Link href={TOKEN_PAGE} aria-current="page">
            API tokens
          </Link>
        </nav>
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
      {children}
    </>
  );
}
