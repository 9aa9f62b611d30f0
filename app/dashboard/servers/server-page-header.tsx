import Link from "next/link";
import { serverPath } from "@/app/paths";
import styles from "./form.module.css";

type Props = { server: { id: number; label: string }; title: string; children?: React.ReactNode };

/** The head of a page that does something with one server. */
export function ServerPageHeader({ server, title, children }: Props) {
  return (
    <header className={styles.header}>
      <p className={styles.back}>
        <Link href={serverPath(server.id)} prefetch={false}>
          <bdi>{server.label}</bdi>
        </Link>
      </p>
      <h1>{title}</h1>
      {children}
    </header>
  );
}
