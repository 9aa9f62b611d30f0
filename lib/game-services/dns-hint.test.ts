import { expect, test } from "vitest";
import { type DnsRecords, pointingText } from "./dns-hint";

const [V4, V6, OTHER] = ["192.0.2.1", "2001:db8::1", "192.0.2.9"];
const ENDS = [V4, V6].map((ip) => ({ ip, port: 25565 }));
const records = (known: Partial<DnsRecords>): DnsRecords => ({ A: [], AAAA: [], CNAME: [], SRV: [], ...known });
/** A name that points at the edge nodes, with SRV records. */
const led = (...SRV: NonNullable<DnsRecords["SRV"]>) => records({ A: [V4], SRV });
const srv = (name: string, ips: string[] | null, port = 25565) => ({ name, port, ips });
const NOWHERE = srv("gone.example.com", []);
const POINTS = "The name points at the edge nodes.";
const LEADS_HERE = `${POINTS} Its SRV record leads to the edge nodes.`;
const DNS_ONLY = 'A proxy of web sites carries no game: at Cloudflare, set the record to "DNS only".';

test.each<[string, DnsRecords, string | RegExp]>([
  ["no record", records({}), "The name has no DNS record yet. Point it at the edge nodes."],
  ["an SRV record alone", records({ SRV: [srv("a.example.com", [], 1)] }), /^The name has no A or AAAA record yet/],
  [
    "an answer that is late",
    records({ AAAA: null }),
    "The name servers did not answer in time. Reload the page to ask again.",
  ],
  ["nodes alone", records({ A: [V4], AAAA: null }), POINTS],
  ["a node and another", records({ A: [V4, OTHER] }), /^The name points at the edge nodes and elsewhere: some players/],
  ["others alone", records({ A: [OTHER] }), /^The name points elsewhere/],
  [
    "a proxy of web sites",
    records({ A: [OTHER], SRV: [srv("_dc-srv.6a._minecraft._tcp.mc.example.com", [V4])] }),
    /points elsewhere.*"DNS only"\. Its SRV record leads to the edge nodes\.$/,
  ],
  ["an SRV record of the name itself", led(srv("MC.example.com.", [V4])), LEADS_HERE],
  ["an SRV record of Cloudflare", led(srv("_dc-srv.0a1b.mc.example.com", [V4])), /leads to the edge nodes\.$/],
  [
    "an SRV record that leads elsewhere",
    led(srv("other.example.com", [OTHER])),
    `${POINTS} Its SRV record leads elsewhere, and players follow it. ${DNS_ONLY}`,
  ],
  ["an SRV record that leads nowhere", led(NOWHERE), /leads elsewhere/],
  ["an SRV record whose name is late", led(srv("slow.example.com", null)), /Where its SRV record leads is not known/],
  [
    "an SRV record that is late",
    records({ A: [V4], SRV: null }),
    `${POINTS} Whether it has an SRV record could not be looked up in time.`,
  ],
  [
    "an SRV record that leads here by another name",
    led(srv("edge.example.net", [V4])),
    `${POINTS} Its SRV record leads to another name, and players ask for that: let it lead to the name itself.`,
  ],
  [
    "an SRV record with another port",
    led(srv("mc.example.com", [V4, V6], 25566)),
    `${POINTS} Its SRV record names port 25566, and the edge nodes listen at port 25565.`,
  ],
  [
    "SRV records that lead here and elsewhere",
    led(srv("mc.example.com", [V4]), srv("other.example.com", [OTHER])),
    `${POINTS} Its SRV record leads to the edge nodes and elsewhere: some players do not reach them. ${DNS_ONLY}`,
  ],
  ["SRV records that lead here and nowhere", led(srv("mc.example.com", [V4]), NOWHERE), /and elsewhere: some/],
])("says where a hostname points: %s", (_, known, said) => {
  const text = pointingText("mc.example.com", known, ENDS);
  if (typeof said === "string") expect(text).toBe(said);
  else expect(text).toMatch(said);
});

test("says nothing of a hostname while no edge node reports", () => {
  const text = pointingText("mc.example.com", led(srv("mc.example.com", [V4])), []);
  expect(text).toMatch(/^No edge node reports at the moment/);
});

test("judges the port of an SRV record by the nodes that it leads to", () => {
  const ends = [...[25570, 25571].map((port) => ({ ip: V4, port })), { ip: V6, port: 25565 }];
  const said = (ips: string[], port: number) =>
    pointingText("mc.example.com", led(srv("mc.example.com", ips, port)), ends);
  expect(said([V4], 25571)).toBe(LEADS_HERE);
  expect(said([V4], 25565)).toContain("names port 25565, and the edge nodes listen at port 25570 or 25571.");
  expect(said([V4, V6], 25571)).toContain("listen at port 25570 or 25571 or 25565.");
});
