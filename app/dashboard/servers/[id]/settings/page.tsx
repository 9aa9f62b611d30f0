import type { Metadata } from "next";
import Link from "next/link";
import { removeServerPath } from "@/app/paths";
import { ButtonRow } from "@/app/ui/button-row";
import { pageOrigin } from "@/app/ui/page-origin";
import { Section } from "@/app/ui/section";
import { listServerKeys } from "@/lib/servers/server-keys";
import { getServer } from "@/lib/servers/servers";
import { requireAccount } from "@/lib/sign-in/sessions";
import styles from "../../form.module.css";
import { ServerPageHeader } from "../../server-page-header";
import { orNotFoundPage } from "../or-not-found-page";
import { RenameServer } from "./rename-server";
import { ReplaceKey } from "./replace-key";
import { ServerKeys } from "./server-keys";

export const metadata: Metadata = { title: "Settings of a server" };

type Props = { params: Promise<{ id: string }> };

export default async function Page({ params }: Props) {
  const account = await requireAccount();
  const server = await orNotFoundPage(getServer(account.id, (await params).id));
  const [keys, origin] = await Promise.all([listServerKeys(account.id, server.id), pageOrigin()]);
  const now = new Date();
  return (
    <main id="main" className="page parts">
      <ServerPageHeader server={server} title="Settings" />
      <Section id="names" title="Names">
        <RenameServer id={server.id} label={server.label} hostname={server.hostname} />
      </Section>
      <Section id="key" title="Server key">
        <ReplaceKey id={server.id} origin={origin} hasKey={keys.length > 0}>
          <ServerKeys keys={keys} now={now} />
        </ReplaceKey>
      </Section>
      <Section id="remove" title="Remove">
        <div className={`card ${styles.form}`}>
          <p>
            Removing <strong>{server.label}</strong> deletes its history and its benchmark runs, and refuses its daemon
            from then on.
          </p>
          <ButtonRow>
            <Link className="button quiet wary" href={removeServerPath(server.id)} prefetch={false}>
              Remove this server…
            </Link>
          </ButtonRow>
        </div>
      </Section>
    </main>
  );
}
