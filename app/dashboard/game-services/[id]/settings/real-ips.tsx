import { FieldsForm } from "@/app/dashboard/fields-form";
import { Code } from "@/app/ui/name";
import { SettingsSection } from "@/app/ui/section";
import { setRealIpsAction } from "../../actions";

/** Where each server takes PROXY protocol. */
const SWITCHES: readonly { server: string; file: string; line: string }[] = [
  { server: "Paper", file: "config/paper-global.yml, under proxies", line: "proxy-protocol: true" },
  { server: "Velocity", file: "velocity.toml, under [advanced]", line: "haproxy-protocol = true" },
  { server: "BungeeCord", file: "config.yml, under the listener", line: "proxy_protocol: true" },
  { server: "Waterfall", file: "config.yml, under the listener", line: "proxy_protocol: true" },
];

/** Whether the origin is told the ips of players. */
export function RealIps({ id, isOn }: { id: number; isOn: boolean }) {
  return (
    <SettingsSection
      id="real-ips"
      title="Real ips"
      about="
          Without them the origin sees only the ips of edge nodes: bans by ip, and plugins that ask where players come
          from, do not work.
        "
    >
      <div className="card card-body">
        <p>
          {isOn ? (
            <>
              <strong>On:</strong> edge nodes tell the origin each player's ip by PROXY protocol v2.
            </>
          ) : (
            <>
              <strong>Off:</strong> the origin sees the ips of edge nodes.
            </>
          )}
        </p>
        {!isOn && (
          <p className="notice warning">
            A server that does not expect PROXY protocol refuses everybody. Switch it on there, restart the server, then
            switch it on here. The service’s page warns if the two do not match.
          </p>
        )}
        <p>Switch it on in the server that edge nodes connect to. In a network of servers, that is only the proxy.</p>
        <ul className="breaks bullets">
          {SWITCHES.map(({ server, file, line }) => (
            <li key={server}>
              {server}: <Code>{line}</Code> <span className="soft">in {file}</span>
            </li>
          ))}
        </ul>
        <p className="hint">
          Anybody who connects to such a server directly can claim any ip: let its firewall accept only the edge nodes.
        </p>
        <FieldsForm
          action={setRealIpsAction}
          label={isOn ? "Switch real ips off" : "Switch real ips on"}
          hidden={{ id, realIps: isOn ? "off" : "on" }}
          tone="button quiet wary"
          submit={isOn ? "Switch real ips off" : "Switch real ips on"}
          pending="Saving…"
        />
      </div>
    </SettingsSection>
  );
}
