"use client";

import { CodeBlock } from "@/app/ui/code-block";
import { SecretPanel } from "@/app/ui/secret-panel";
import { serverPath } from "@/lib/page-paths";
import { installLines } from "./install-lines";

type Props = {
  title: React.ReactNode;
  serverId: number;
  rawKey: string;
  origin: string;
  /** The daemon is there already and only needs the new key. */
  isReplacement: boolean;
  /** What to paste for other agents. */
  otherAgents: React.ReactNode;
  leave: { href: string; words: string };
};

/** A server key, shown this once, what to do with it, and the first check-in with it as soon as it has come. */
export function NewKey({ title, serverId, rawKey, origin, isReplacement, otherAgents, leave }: Props) {
  return (
    <SecretPanel
      title={title}
      about={
        <>
          The key is shown this once: only its hash is stored. It lets the server&apos;s daemon report its own health,
          and read nothing.{" "}
          {isReplacement && "The old key works for one more hour, so nothing is missed while you change it."}
        </>
      }
      firstUse={{
        path: `${serverPath(serverId)}/first-check-in`,
        what: "check-in",
        later: "The server's page shows the first check-in.",
      }}
      leave={{ what: "key", ...leave }}
    >
      <CodeBlock label="Server key" text={rawKey} />
      <p>
        {isReplacement
          ? "Paste these two lines into a terminal of the server. The second asks for the key."
          : "Paste these two lines into a terminal of the new server. The second asks for the key, installs a small daemon that checks in every 30 seconds, and says what it does."}
      </p>
      <CodeBlock label="In a terminal of the server" text={installLines(origin)} />
      {otherAgents}
    </SecretPanel>
  );
}
