import { z } from "zod";
import { InvalidInputError } from "@/lib/failures";
import type { MeasuredBenchmark } from "@/lib/servers/benchmark-scores";

// What YABS (masonr/yet-another-bench-script) sends with -s. It joins its JSON without escaping and leaves values out
// where a test failed, so everything here may be absent, empty, or of another type.

const number = z.number().nonnegative().nullable().catch(null).default(null);
const text = z.string().nullable().catch(null).default(null);
const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform((list) =>
      list.slice(0, 100).flatMap((entry) => {
        const parsed = item.safeParse(entry);
        return parsed.success ? [parsed.data] : [];
      }),
    );

const result = z.object({
  os: z.object({ kernel: text }).catch({ kernel: null }).default({ kernel: null }),
  cpu: z.object({ cores: number, freq: text }).catch({ cores: null, freq: null }).default({ cores: null, freq: null }),
  /** KiB. */
  mem: z.object({ ram: number }).catch({ ram: null }).default({ ram: null }),
  /** KB/s and operations per second, by block size. */
  fio: listOf(z.object({ bs: text, speed_rw: number, iops_rw: number })),
  /** "9.10 Gbits/sec", or "busy ". */
  iperf: listOf(z.object({ send: text, recv: text })),
  geekbench: listOf(z.object({ version: number, single: number, multi: number })),
});

/** What a run reports of the machine it ran on. */
export type ReportedMachine = { cores: number | null; memoryMb: number | null; kernel: string | null };

/** @throws InvalidInputError when the text is not a result of YABS, even after the known mistakes of YABS are mended. */
export function parseYabs(json: string): { measured: MeasuredBenchmark; machine: ReportedMachine } {
  const parsed = result.safeParse(parseMended(json));
  if (!parsed.success) throw new InvalidInputError("This is no result of YABS.");
  const { os, cpu, mem, fio, iperf, geekbench } = parsed.data;
  const small = fio.find(({ bs }) => bs === "4k");
  const large = fio.find(({ bs }) => bs === "1m");
  const [newest] = geekbench
    .filter(({ single, multi }) => single !== null && multi !== null)
    .sort((a, b) => (b.version ?? 0) - (a.version ?? 0));
  return {
    measured: {
      geekbench: newest ? { version: newest.version ?? 0, single: newest.single ?? 0, multi: newest.multi ?? 0 } : null,
      coreGhz: coreGhz(cpu),
      smallIops: small?.iops_rw ?? null,
      largeMbPerS: large?.speed_rw == null ? null : large.speed_rw / 1000,
      sentMbitPerS: median(iperf.map(({ send }) => mbitPerS(send))),
      receivedMbitPerS: median(iperf.map(({ recv }) => mbitPerS(recv))),
    },
    machine: { cores: cpu.cores, memoryMb: mem.ram === null ? null : mem.ram / 1024, kernel: os.kernel },
  };
}

/**
 * Matches strings, or gaps in the JSON between them. An unterminated string matches to the end, to keep time linear.
 */
const GAPS = /"(?:[^"\\]|\\(?:.|$))*(?:"|$)|:\s*(?=[,}\]])|,\s*(?=[}\]])/gs;

/** Repairs the known JSON mistakes of YABS: `"iperf":]` becomes an empty list, a missing value becomes null. */
function parseMended(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // Invalid JSON: try again with the gaps filled.
  }
  const mended = json.replace(/\p{Cc}/gu, " ").replace(GAPS, (match, at: number, whole: string) => {
    if (match.startsWith('"')) return match;
    if (match.startsWith(",")) return "";
    return whole[at + match.length] === "]" ? ":[" : ":null";
  });
  try {
    return JSON.parse(mended);
  } catch {
    throw new InvalidInputError("This is no JSON, and not what YABS makes of a test that failed either.");
  }
}

function coreGhz({ cores, freq }: { cores: number | null; freq: string | null }): number | null {
  const [, mhz] = /^([\d.]{1,12}) MHz$/.exec(freq ?? "") ?? [];
  const ghz = cores === null ? Number.NaN : (cores * Number(mhz)) / 1000;
  return Number.isFinite(ghz) ? ghz : null;
}

function mbitPerS(speed: string | null): number | null {
  const [, value, unit = ""] = /^([\d.]{1,12}) ([KMGT]?)bits\/sec$/.exec(speed?.trim() ?? "") ?? [];
  const factor = { "": 1e-6, K: 1e-3, M: 1, G: 1e3, T: 1e6 }[unit];
  const speedInMbit = Number(value) * (factor ?? Number.NaN);
  return Number.isFinite(speedInMbit) ? speedInMbit : null;
}

function median(values: (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}
