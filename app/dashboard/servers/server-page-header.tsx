import { BackLink } from "@/app/ui/back-link";
import { serverPath } from "@/lib/page-paths";
import styles from "./form.module.css";

type Props = { server: { id: number; label: string }; title: string; children?: React.ReactNode };

/** The head of a page that does something with one server. */
export function ServerPageHeader({ server, title, children }: Props) {
  return (
    <header className={styles.header}>
      <BackLink href={serverPath(server.id)}>
        <bdi>{server.label}</bdi>
      </BackLink>
      <h1>{title}</h1>
      {children}
    </header>
  );
}
