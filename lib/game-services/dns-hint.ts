import { Resolver } from "node:dns/promises";
import { SECOND } from "@/lib/format/time";
import type { NodeEnd } from "@/lib/game-services/edges/nodes";
import { perProcess } from "@/lib/process/per-process.mjs";

/** Ends the look-up, however many DNS servers do not answer. */
const DEADLINE = 2 * SECOND;
/** Look-ups of this process at a time, and of one account. */
const MAX_AT_ONCE = 16;
const MAX_PER_ACCOUNT = 2;
/** Records of one kind that are shown. */
const MAX_RECORDS = 8;

/** `SRV` is what a Minecraft client asks for first. */
export const RECORD_KINDS = ["A", "AAAA", "CNAME", "SRV"] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** Where an SRV record leads, and the ips of that name. */
export type SrvRecord = { name: string; port: number; ips: string[] | null };

/** Null: no answer came in time. Empty: there is no such record. */
export type DnsRecords = Record<Exclude<RecordKind, "SRV">, string[] | null> & { SRV: SrvRecord[] | null };

const running = perProcess("dns-hints", () => new Map<number, number>());

/** What a hostname resolves to now; null when too many are looked up at the moment. */
export async function lookUp(accountId: number, hostname: string): Promise<DnsRecords | null> {
  const own = running.get(accountId) ?? 0;
  const all = [...running.values()].reduce((sum, count) => sum + count, 0);
  if (own >= MAX_PER_ACCOUNT || all >= MAX_AT_ONCE) return null;
  running.set(accountId, own + 1);
  const resolver = new Resolver({ timeout: DEADLINE, tries: 1 });
  const timer = setTimeout(() => resolver.cancel(), DEADLINE);
  try {
    const ledTo = async ({ name, port }: { name: string; port: number }): Promise<SrvRecord> => {
      const [v4, v6] = await Promise.all([found(resolver.resolve4(name)), found(resolver.resolve6(name))]);
      return { name, port, ips: v4 && v6 && [...v4, ...v6] };
    };
    const [A, AAAA, CNAME, SRV] = await Promise.all([
      found(resolver.resolve4(hostname)),
      found(resolver.resolve6(hostname)),
      found(resolver.resolveCname(hostname)),
      // At once, not when the others have answered: all have the same deadline.
      found(resolver.resolveSrv(`_minecraft._tcp.${hostname}`)).then((all) => all && Promise.all(all.map(ledTo))),
    ]);
    return { A, AAAA, CNAME, SRV };
  } finally {
    clearTimeout(timer);
    const left = (running.get(accountId) ?? 1) - 1;
    if (left > 0) running.set(accountId, left);
    else running.delete(accountId);
  }
}

const DNS_ONLY = 'A proxy of web sites carries no game: at Cloudflare, set the record to "DNS only".';

/** Whether players of a hostname reach these ends of edge nodes, in a few sentences. None holds a name: it may be translated. */
export function pointingText(hostname: string, records: DnsRecords, ends: readonly NodeEnd[]): string {
  if (ends.length === 0) return "No edge node reports at the moment, so it is not known where the name should point.";
  const ips = ends.map(({ ip }) => ip);
  const sentences = [...aboutAddresses(records, ips), ...aboutSrv(hostname, records.SRV, ends)];
  return [...new Set(sentences)].join(" ");
}

function aboutAddresses(records: DnsRecords, ips: readonly string[]): string[] {
  const found = [...(records.A ?? []), ...(records.AAAA ?? [])];
  if (found.length === 0) {
    if (records.A === null || records.AAAA === null)
      return ["The name servers did not answer in time. Reload the page to ask again."];
    const isKnown = RECORD_KINDS.some((kind) => records[kind]?.length !== 0);
    return [`The name has no ${isKnown ? "A or AAAA" : "DNS"} record yet. Point it at the edge nodes.`];
  }
  const others = found.filter((ip) => !ips.includes(ip));
  if (others.length === 0) return ["The name points at the edge nodes."];
  return others.length === found.length
    ? ["The name points elsewhere: players do not reach the edge nodes.", DNS_ONLY]
    : ["The name points at the edge nodes and elsewhere: some players do not reach them.", DNS_ONLY];
}

/** Clients ask for the SRV record first. They connect to its port, and tell the node its target in place of the hostname. */
function aboutSrv(hostname: string, records: readonly SrvRecord[] | null, ends: readonly NodeEnd[]): string[] {
  if (records === null) return ["Whether it has an SRV record could not be looked up in time."];
  if (records.length === 0) return [];
  if (records.some(({ ips }) => ips === null))
    return ["Where its SRV record leads is not known: the name servers did not answer in time."];
  const endsOf = ({ ips }: SrvRecord) => ends.filter(({ ip }) => ips?.includes(ip));
  const here = records.filter((record) => endsOf(record).length > 0);
  if (here.length === 0) return ["Its SRV record leads elsewhere, and players follow it.", DNS_ONLY];
  const isElsewhere = (ip: string) => ends.every((end) => end.ip !== ip);
  const isWhole = here.length === records.length && !records.some(({ ips }) => ips?.some(isElsewhere));
  const faults = isWhole
    ? []
    : ["Its SRV record leads to the edge nodes and elsewhere: some players do not reach them.", DNS_ONLY];
  for (const record of here) {
    const { name, port } = record;
    if (wantedName(name) !== wantedName(hostname))
      faults.push("Its SRV record leads to another name, and players ask for that: let it lead to the name itself.");
    const found = endsOf(record);
    const isOpen = found.every(({ ip }) => found.some((end) => end.ip === ip && end.port === port));
    const ports = [...new Set(found.map((end) => end.port))].join(" or ");
    if (!isOpen) faults.push(`Its SRV record names port ${port}, and the edge nodes listen at port ${ports}.`);
  }
  return faults.length > 0 ? faults : ["Its SRV record leads to the edge nodes."];
}

/** What an edge node makes of a name that a client sends: Cloudflare leads SRV records to a name of its own before it. */
function wantedName(name: string): string {
  return name
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^_dc-srv\.[0-9a-f]+\.(?:_minecraft\._tcp\.)?/, "");
}

function found<T>(lookup: Promise<T[]>): Promise<T[] | null> {
  return lookup.then(
    (records) => records.slice(0, MAX_RECORDS),
    // The name does not exist, or has no record of this kind.
    (error: NodeJS.ErrnoException) => (error.code === "ENOTFOUND" || error.code === "ENODATA" ? [] : null),
  );
}
