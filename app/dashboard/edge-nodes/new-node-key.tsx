"use client";

import { CodeBlock } from "@/app/ui/code-block";
import { SecretPanel } from "@/app/ui/secret-panel";
import { EDGE_NODES } from "@/lib/page-paths";
import { setUpLines } from "./set-up-lines";

type Props = { id: number; title: React.ReactNode; rawKey: string; origin: string; isReplacement: boolean };

/** An edge node's key, shown this once, what to do with it, and the node's first fetch as soon as it has come. */
export function NewNodeKey({ id, title, rawKey, origin, isReplacement }: Props) {
  const { prepare, start } = setUpLines(origin);
  return (
    <SecretPanel
      title={title}
      about={`The key is shown this once: only its hash is stored. With it the node reads what to protect, and reports.${
        isReplacement ? " The old key works for one more hour." : ""
      }`}
      firstUse={
        !isReplacement && {
          path: `${EDGE_NODES}/first-fetch?node=${id}`,
          what: "fetch",
          later: "The list of edge nodes shows when it was first heard.",
        }
      }
      leave={{ what: "key", href: EDGE_NODES, words: "Go to the edge nodes" }}
    >
      <CodeBlock label="Key of the edge node" text={rawKey} />
      <p>
        {isReplacement
          ? "On the node, as root: paste the line, then the key, Enter, Ctrl-D, and restart the program."
          : "On a machine with HAProxy (2.6 or newer), nftables and Node 20, as root. The last line waits for the key: paste it, Enter, Ctrl-D."}
      </p>
      <CodeBlock
        label="In a terminal of the node"
        text={isReplacement ? "(umask 077 && cat > /etc/console-edge/key)" : prepare}
      />
      {!isReplacement && <p>Then its program starts, now and whenever the machine does:</p>}
      <CodeBlock label="After that" text={isReplacement ? "systemctl restart console-edge" : start} />
    </SecretPanel>
  );
}
