"use client";

import { useRouter } from "next/navigation";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useFormStatus } from "react-dom";
import { TOKEN_PAGE } from "@/app/paths";
import styles from "./revoke-dialog.module.css";

type Props = {
  title: string;
  confirmLabel: string;
  /** The link that led here, which gets the focus back. */
  openerId: string;
  action: (form: FormData) => Promise<never>;
  children: React.ReactNode;
};

/** The question before something is revoked. Without JavaScript it stands over the page in the same place. */
export function RevokeDialog({ title, confirmLabel, openerId, action, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isSent = useRef(false);
  const router = useRouter();

  useLayoutEffect(() => {
    const { current } = dialog;
    if (!current || current.matches(":modal")) return;
    // The server wrote it open; only a closed dialog can be opened as a modal one.
    current.close();
    current.showModal();
  }, []);

  useEffect(() => () => document.getElementById(openerId)?.focus(), [openerId]);

  const cancel = (event: React.SyntheticEvent) => {
    event.preventDefault();
    router.push(TOKEN_PAGE, { scroll: false });
  };

  /** A second click would only be told that nothing is left to revoke. */
  const submitOnce = (event: React.FormEvent) => {
    if (isSent.current) event.preventDefault();
    isSent.current = true;
  };

  return (
    <dialog
      ref={dialog}
      open
      className={styles.dialog}
      aria-labelledby="question"
      aria-describedby="facts"
      onCancel={cancel}
    >
      <form action={action} onSubmit={submitOnce} className={styles.form}>
        <h2 id="question">{title}</h2>
        <div id="facts" className={styles.facts}>
          {children}
        </div>
        <div className={styles.buttons}>
          {/* biome-ignore lint/a11y/noAutofocus: a dialog begins with its harmless answer */}
          <a className="button quiet" href={TOKEN_PAGE} onClick={cancel} autoFocus>
            Cancel
          </a>
          <ConfirmButton label={confirmLabel} />
        </div>
      </form>
    </dialog>
  );
}

function ConfirmButton({ label }: { label: string }) {
  const { pending } = useFormStatus();
  return (
    <button type="submit" className="button danger" aria-disabled={pending}>
      {pending ? "Revoking…" : label}
    </button>
  );
}
