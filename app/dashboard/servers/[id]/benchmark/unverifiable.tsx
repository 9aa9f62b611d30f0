import { CodeBlock } from "@/app/ui/code-block";
import { Link } from "@/app/ui/link";
import { Name } from "@/app/ui/name";
import { Section } from "@/app/ui/section";
import { serverPath } from "@/lib/page-paths";
import type { VerificationGaps } from "@/lib/servers/benchmarks";

type Props = { serverId: number; gaps: VerificationGaps };

/** What keeps the results of this server from being verified, and how to give it. */
export function Unverifiable({ serverId, gaps: { facts, isIpMissing, senderIp } }: Props) {
  return (
    <Section id="unverifiable" title="A result could not be verified yet">
      <div className="card card-body stack">
        {facts.length > 0 && (
          <p>
            The console does not know the {new Intl.ListFormat("en").format(facts)} of this server, with which a result
            is compared. The console&apos;s own daemon reports them, and so does Prometheus with the node exporter:{" "}
            <Link href={serverPath(serverId)}>set one of them up</Link>.
          </p>
        )}
        {isIpMissing && senderIp === null && (
          <p>The console does not know the ip of this server: it has never checked in.</p>
        )}
        {isIpMissing && senderIp !== null && <PrivateIp ip={senderIp} />}
      </div>
    </Section>
  );
}

function PrivateIp({ ip }: { ip: string }) {
  return (
    <>
      <p>
        The console does not know the ip of this server. It checks in from <Name>{ip}</Name>, which is in a private
        network, so it proves nothing by itself. Let the daemon name the ip that results come from. If that is another
        one than this, because they take another way, write that one instead.
      </p>
      <CodeBlock
        label="In a terminal of the server"
        text={`echo PUBLIC_IP=${ip} | sudo tee -a /etc/console-agent/environment\nsudo systemctl restart console-agent`}
      />
    </>
  );
}
