import { From } from "@/app/ui/ip";
import { Code } from "@/app/ui/name";
import { Time } from "@/app/ui/time";
import type { ServerKeyRecord } from "@/lib/servers/server-keys";

/** The keys with which a daemon can report for a server: the current one, and those that are being replaced. */
export function ServerKeys({ keys, now }: { keys: readonly ServerKeyRecord[]; now: Date }) {
  if (keys.length === 0) return <p>This server has no key yet: no daemon can report for it.</p>;
  return (
    <ul className="stack tight">
      {keys.map((key) => (
        <li key={key.id}>
          <Code className="nowrap">csrv_…{key.hint}</Code>{" "}
          {key.expiresAt === null ? (
            "is the current key"
          ) : (
            <>
              was replaced and ends <Time at={key.expiresAt} now={now} />
            </>
          )}
          , made <Time at={key.createdAt} now={now} />,{" "}
          {key.lastUsedAt === null ? (
            "not used yet"
          ) : (
            <>
              last used <Time at={key.lastUsedAt} now={now} />
              <From ip={key.lastUsedIp} />
            </>
          )}
          .
        </li>
      ))}
    </ul>
  );
}
