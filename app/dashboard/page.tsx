import type { Metadata } from "next";
import Link from "next/link";
import { NEW_SERVER } from "@/app/paths";
import { Live } from "@/app/ui/live";
import { requireAccount } from "@/lib/sign-in/sessions";
import { Fleet } from "./fleet";
import { loadFleet } from "./fleet-actions";
import { parseFleetQuery } from "./fleet-query";
import styles from "./page.module.css";
import { RemovalOutcome } from "./removal-outcome";

export const metadata: Metadata = { title: "Servers" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const account = await requireAccount();
  const asked = await searchParams;
  const query = parseFleetQuery(asked);
  return (
    <main id="main" className="page parts">
      <RemovalOutcome accountId={account.id} removed={asked.removed} unchanged={asked.unchanged} />
      <header className={styles.header}>
        <div className={styles.title}>
          <h1>Servers</h1>
          <p className="soft">The health of your machines, as their daemons report it.</p>
        </div>
        <Link className="button" href={NEW_SERVER} prefetch={false}>
          Add a server
        </Link>
      </header>
      <Live load={loadFleet.bind(null, query)}>
        <Fleet accountId={account.id} query={query} />
      </Live>
    </main>
  );
}
