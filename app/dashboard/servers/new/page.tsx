import { randomBytes } from "node:crypto";
import type { Metadata } from "next";
import { BackLink } from "@/app/ui/back-link";
import { pageOrigin } from "@/app/ui/page-origin";
import { DASHBOARD } from "@/lib/page-paths";
import { requireAccount } from "@/lib/sign-in/sessions";
import styles from "../form.module.css";
import { AddServer } from "./add-server";

export const metadata: Metadata = { title: "Add a server" };

export default async function Page() {
  await requireAccount();
  return (
    <main id="main" className="page parts">
      <header className={styles.header}>
        <BackLink href={DASHBOARD}>Servers</BackLink>
        <h1>Add a server</h1>
        <p className="soft">
          Name it here, paste two lines there, and its health is on your dashboard within a minute. Any Linux with curl
          or GNU wget will do.
        </p>
      </header>
      <AddServer formNonce={randomBytes(16).toString("base64url")} origin={await pageOrigin()} />
    </main>
  );
}
