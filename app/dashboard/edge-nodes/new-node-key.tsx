"use client";

import { CodeBlock } from "@/app/ui/code-block";
import { FirstUse } from "@/app/ui/first-use";
import { FocusTarget } from "@/app/ui/focus-target";
import { LeaveSecret } from "@/app/ui/leave-secret";
import { EDGE_NODES } from "@/lib/page-paths";
import { setUpLines } from "./set-up-lines";

type Props = { id: number; title: React.ReactNode; rawKey: string; origin: string; isReplacement: boolean };

/** An edge node's key, shown this once, what to do with it, and the node's first fetch as soon as it has come. */
export function NewNodeKey({ id, title, rawKey, origin, isReplacement }: Props) {
  const { prepare, start } = setUpLines(origin);
  return (
    <section className="card card-body key" aria-labelledby="new-key">
      <FocusTarget as="h2" id="new-key">
        {title}
      </FocusTarget>
      <p className="soft">
        The key is shown this once: only its hash is stored. With it the node reads what to protect, and reports.
        {isReplacement && " The old key works for one more hour."}
      </p>
      <CodeBlock label="Key of the edge node" text={rawKey} />
      {isReplacement ? (
        <>
          <p>On the node, as root: paste the line, then the key, Enter, Ctrl-D, and restart the program.</p>
          <CodeBlock label="In a terminal of the node" text="(umask 077 && cat > /etc/console-edge/key)" />
          <CodeBlock label="After that" text="systemctl restart console-edge" />
        </>
      ) : (
        <>
          <p>
            On a machine with HAProxy (2.6 or newer), nftables and Node 20, as root. The last line waits for the key:
            paste it, Enter, Ctrl-D.
          </p>
          <CodeBlock label="In a terminal of the node" text={prepare} />
          <p>Then its program starts, now and whenever the machine does:</p>
          <CodeBlock label="After that" text={start} />
          <FirstUse
            path={`${EDGE_NODES}/first-fetch?node=${id}`}
            what="fetch"
            later="The list of edge nodes shows when it was first heard."
          />
        </>
      )}
      <LeaveSecret what="key" href={EDGE_NODES}>
        Go to the edge nodes
      </LeaveSecret>
    </section>
  );
}
