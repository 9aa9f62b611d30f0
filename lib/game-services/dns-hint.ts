import { Resolver } from "node:dns/promises";
import { SECOND } from "@/lib/format/time";
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

/** Null: no answer came in time. Empty: there is no such record. */
export type DnsRecords = Record<RecordKind, string[] | null> & {
  /** The ips of the names that SRV records lead to; absent without such a record. */
  ledTo?: string[] | null;
};

const running = perProcess("dns-hints", () => new Map<number, number>());

/** What a hostname resolves to now; null when too many are looked up at the moment. */
export async function lookUp(accountId: number, hostname: string): Promise<DnsRecords | null> {
  const own = running.get(accountId) ?? 0;
  const all = [...running.values()].reduce((sum, count) => sum + count, 0);
  if (own >= MAX_PER_ACCOUNT || all >= MAX_AT_ONCE) return null;
  running.set(accountId, own + 1);
  const resolver = new Resolver({ timeout: DEADLINE, tries: 1 });
  try {
    const [A, AAAA, CNAME, SRV] = await Promise.all([
      inTime(resolver.resolve4(hostname)),
      inTime(resolver.resolve6(hostname)),
      inTime(resolver.resolveCname(hostname)),
      inTime(
        resolver
          .resolveSrv(`_minecraft._tcp.${hostname}`)
          .then((records) => records.map(({ name, port }) => `${name}, port ${port}`)),
      ),
    ]);
    const names = [...new Set((SRV ?? []).map((record) => record.replace(/,.*$/, "")))];
    if (names.length === 0) return { A, AAAA, CNAME, SRV };
    const ips = await Promise.all(
      names.flatMap((name) => [inTime(resolver.resolve4(name)), inTime(resolver.resolve6(name))]),
    );
    const isWhole = ips.every((found) => found !== null);
    return { A, AAAA, CNAME, SRV, ledTo: isWhole ? ips.flatMap((found) => found ?? []) : null };
  } finally {
    resolver.cancel();
    const left = (running.get(accountId) ?? 1) - 1;
    if (left > 0) running.set(accountId, left);
    else running.delete(accountId);
  }
}

const DNS_ONLY = 'A proxy of web sites carries no game: at Cloudflare, set the record to "DNS only".';

/** Whether a hostname points at these ips of edge nodes, in a few sentences. Clients ask for its SRV record first. */
export function pointingText(hostname: string, records: DnsRecords, ips: readonly string[]): string {
  const text = addressText(hostname, records, ips);
  const { ledTo } = records;
  if (ips.length === 0 || ledTo === undefined) return text;
  if (ledTo === null)
    return `${text} Where its SRV record leads is not known: the name servers did not answer in time.`;
  if (ledTo.length > 0 && ledTo.every((ip) => ips.includes(ip)))
    return `${text} Its SRV record leads to the edge nodes.`;
  return `${text} Its SRV record leads elsewhere, and players follow it. ${text.includes(DNS_ONLY) ? "" : DNS_ONLY}`.trimEnd();
}

function addressText(hostname: string, records: DnsRecords, ips: readonly string[]): string {
  const found = [...(records.A ?? []), ...(records.AAAA ?? [])];
  if (ips.length === 0) return "No edge node reports at the moment, so it is not known where the name should point.";
  if (found.length === 0) {
    if (records.A === null || records.AAAA === null)
      return "The name servers did not answer in time. Reload the page to ask again.";
    const isKnown = RECORD_KINDS.some((kind) => records[kind]?.length !== 0);
    return `${hostname} has no ${isKnown ? "A or AAAA" : "DNS"} record yet. Point it at the edge nodes.`;
  }
  const others = found.filter((ip) => !ips.includes(ip));
  if (others.length === 0) return "The name points at the edge nodes.";
  return others.length === found.length
    ? `The name points elsewhere: players do not reach the edge nodes. ${DNS_ONLY}`
    : `The name points at the edge nodes and elsewhere: some players do not reach them. ${DNS_ONLY}`;
}

async function inTime(lookup: Promise<string[]>): Promise<string[] | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), DEADLINE);
  });
  const answered = lookup.then(
    (records) => records.slice(0, MAX_RECORDS),
    // The name does not exist, or has no record of this kind.
    (error: NodeJS.ErrnoException) => (error.code === "ENOTFOUND" || error.code === "ENODATA" ? [] : null),
  );
  return Promise.race([answered, late]).finally(() => clearTimeout(timer));
}
