import { expect, test } from "vitest";
import { type DnsRecords, pointingText } from "./dns-hint";

const IPS = ["192.0.2.1", "2001:db8::1"];
const records = (known: Partial<DnsRecords>): DnsRecords => ({ A: [], AAAA: [], CNAME: [], SRV: [], ...known });

test.each<[string, DnsRecords, readonly string[], RegExp]>([
  ["no record", records({}), IPS, /^mc\.example\.com has no DNS record yet\. Point it at the edge nodes\.$/],
  ["an SRV record alone", records({ SRV: ["a.example.com, port 1"] }), IPS, /has no A or AAAA record yet/],
  ["an answer that is late", records({ AAAA: null }), IPS, /^The name servers did not answer in time/],
  ["nodes alone", records({ A: ["192.0.2.1"], AAAA: null }), IPS, /^The name points at the edge nodes\.$/],
  ["a node and another", records({ A: ["192.0.2.1", "192.0.2.9"] }), IPS, /and elsewhere/],
  ["others alone", records({ A: ["192.0.2.9"] }), IPS, /points elsewhere/],
  [
    "a proxy of web sites",
    records({ A: ["192.0.2.9"], SRV: ["_dc-srv.6a._minecraft._tcp.mc.example.com, port 25565"], ledTo: ["192.0.2.1"] }),
    IPS,
    /points elsewhere.*"DNS only"\. Its SRV record leads to the edge nodes\.$/,
  ],
  [
    "an SRV record that leads elsewhere",
    records({ A: ["192.0.2.1"], SRV: ["other.example.com, port 25565"], ledTo: ["192.0.2.9"] }),
    IPS,
    /^The name points at the edge nodes\. Its SRV record leads elsewhere, and players follow it\. .*"DNS only"\.$/,
  ],
  [
    "an SRV record that leads nowhere",
    records({ A: ["192.0.2.1"], SRV: ["gone.example.com, port 25565"], ledTo: [] }),
    IPS,
    /leads elsewhere/,
  ],
  [
    "an SRV record whose name is late",
    records({ A: ["192.0.2.1"], SRV: ["slow.example.com, port 25565"], ledTo: null }),
    IPS,
    /Where its SRV record leads is not known/,
  ],
  ["no node", records({ A: ["192.0.2.1"] }), [], /^No edge node reports at the moment/],
])("says where a hostname points: %s", (_, known, ips, said) => {
  expect(pointingText("mc.example.com", known, ips)).toMatch(said);
});
