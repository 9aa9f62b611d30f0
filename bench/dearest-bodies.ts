import { gzipSync } from "node:zlib";
import { snappy } from "@/e2e/support/agent-bodies";
import { type Labels, varint, writeRequest } from "@/e2e/support/write-request";
import { MINUTE } from "@/lib/format/time";
import { readLines } from "@/lib/ingest/agents/line-protocol";
import { readMetrics } from "@/lib/ingest/agents/otlp-body";
import { unpack } from "@/lib/ingest/agents/packed-body";
import { readRemoteWrite } from "@/lib/ingest/agents/remote-write";
import { readResult } from "@/lib/ingest/benchmarks";
import { parseCheckInBody } from "@/lib/ingest/check-in-body";
import { parseEdgeReport } from "@/lib/ingest/edge-report-body";
import { randomAt } from "@/prisma/demo/random";
import { findFormFault, MAX_FORM } from "@/server/http/forms.mjs";
import { median } from "./rounds";

/** How an endpoint is attacked: what bodies are made of, and what reads them. */
type Endpoint = {
  name: string;
  path: string;
  contentType: string;
  contentEncoding?: "gzip" | "snappy";
  /** Who may send to it. */
  sender: "server" | "node" | "run" | "stranger";
  /** In bytes, before packing. */
  maxBytes: number;
  /** Beginnings and ends of bodies. In between stand units, many times; `{n}` in them is another number each time. */
  frames: readonly (readonly [head: string, tail: string])[];
  units: readonly string[];
  /** Makes the bytes of the parts; by default their text. */
  build?(head: string, units: readonly string[], tail: string): Buffer;
  read(bytes: Buffer): unknown;
};

/** The dearest body that was found for an endpoint: what it costs to read, in milliseconds of CPU. */
export type DearBody = Pick<Endpoint, "name" | "path" | "contentType" | "contentEncoding" | "sender"> & {
  isTaken: boolean;
  bytes: Buffer;
  cpuMs: number;
};

const KB = 1024;
const NOW = Date.now();
const packed = (encoding: "gzip" | "snappy", read: (bytes: Buffer) => unknown) => {
  const headers = new Headers({ "content-encoding": encoding });
  return (bytes: Buffer) => read(unpack(bytes, headers, ""));
};

const CPU: Labels = { __name__: "node_cpu_seconds_total", instance: "a", cpu: "1", mode: "iowait" };
const DISK: Labels = { __name__: "node_filesystem_size_bytes", instance: "a", mountpoint: "/srv", fstype: "ext4" };
const WIDE = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`l${n}`, "v"]));
const series = (labels: Labels) => writeRequest([{ labels, samples: [[NOW, 1]] }]).toString("latin1");
const label = (name: string) => series({ [name]: "v" }).slice(2, 2 + 2 + name.length + 2 + 3);
const IN_ONE_SERIES = "in one series";

const NUMBERS = ["1", "1.5", "-1e9", "123456789.125"];
const JSON_UNITS = [
  "{}",
  "[]",
  "null",
  ...NUMBERS,
  '""',
  '"\\u0041"',
  '"{n}"',
  '{"k{n}":0}',
  '{"a":{"b":{"c":{}}}}',
  "[[[[[[[[]]]]]]]]",
  '{"values":[],"metrics":[]}',
];
const POINT = '"timeUnixNano":"{now}000000","asDouble":1.5';
const ATTRIBUTE = '{"key":"k{n}","value":{"stringValue":"v{n}"}}';
const STATE = '{"key":"state","value":{"stringValue":"idle"}},{"key":"cpu","value":{"stringValue":"cpu1"}}';
const INTERVAL = '{"service_id":{n1},"ts":{minute},"packets":1,"bytes":1,"dropped":1,"connections":1,"latency_ms":1.5}';
const listIn = (name: string, units: string): readonly [string, string] => [`{"${name}":[`, `${units}]}`];

const ENDPOINTS: readonly Endpoint[] = [
  {
    name: "Prometheus",
    path: "/ingest/prometheus/write",
    contentType: "application/x-protobuf",
    contentEncoding: "snappy",
    sender: "server",
    maxBytes: 1024 * KB,
    frames: [
      ["", ""],
      [IN_ONE_SERIES, ""],
    ],
    units: [
      series({}),
      series({ "": "" }),
      series(CPU),
      series(DISK),
      series({ ...CPU, ...WIDE }),
      series({ __name__: "node_uname_info", ...WIDE }),
      series({ __name__: "x" }),
      "\n\0",
      "\x12\0",
      "x\x01",
      "\x0b",
      label("cpu"),
      label("mountpoint"),
    ],
    build(head, units) {
      const bytes = Buffer.from(units.join(""), "latin1");
      return head === IN_ONE_SERIES ? Buffer.concat([Buffer.from([10]), varint(bytes.length), bytes]) : bytes;
    },
    read: packed("snappy", (bytes) => readRemoteWrite(bytes)),
  },
  {
    name: "Influx",
    path: "/ingest/influx/api/v2/write",
    contentType: "text/plain",
    contentEncoding: "gzip",
    sender: "server",
    maxBytes: 1024 * KB,
    frames: [
      ["", ""],
      ["system,host=a ", "load5=1"],
      ["system,host=a", " load5=1"],
      ["x ", "y=1"],
      ["x", " y=1"],
      ['x y="', '"'],
      ["x y=1", "z"],
    ],
    units: [
      "\n",
      "a\n",
      " ",
      "\\ ",
      "a",
      "1",
      "a=1,",
      "load5=1.5,",
      "load5=123456789.125,",
      'a="b",',
      ",host=a",
      ",k{n}=v",
      ",h\\=k=v",
      "system,host=a load5=1\n",
      "system,host=a load5=1,uptime=5i,n_cpus=2i {now}000000\n",
      "disk,host=a,path=/b{n},fstype=ext4 used=123456789.5,free=987654321.25 {now}000000\n",
      "x,a=b c=1,d=2\n",
      "system load5=\n",
    ],
    read: packed("gzip", (bytes) => readLines(bytes, 1e-6, new Date())),
  },
  {
    name: "OTLP",
    path: "/ingest/otlp/v1/metrics",
    contentType: "application/json",
    contentEncoding: "gzip",
    sender: "server",
    maxBytes: 1024 * KB,
    frames: [
      listIn("resourceMetrics", "{}"),
      listIn("x", "{}"),
      ['{"resourceMetrics":[{"resource":{"attributes":[', "{}]}}]}"],
      ['{"resourceMetrics":[{"scopeMetrics":[{"metrics":[', "{}]}]}]}"],
      ...["system.cpu.time", "system.uptime", "system.filesystem.usage"].map(
        (name) =>
          [
            `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"${name}","gauge":{"dataPoints":[`,
            "{}]}}]}]}]}",
          ] as const,
      ),
      listIn("resourceMetrics", "{}]"),
    ],
    units: [
      ...JSON_UNITS,
      ATTRIBUTE,
      `{${POINT}}`,
      `{"attributes":[${STATE}],${POINT}}`,
      `{"attributes":[${Array(20).fill(ATTRIBUTE).join()}],${POINT}}`,
      '{"asInt":"1"}',
      '{"scopeMetrics":[{"metrics":[{"name":"system.uptime","gauge":{"dataPoints":[{}]}}]}]}',
      '{"name":"system.uptime","sum":{"dataPoints":[]}}',
    ].map((unit) => `${unit},`),
    read: packed("gzip", readMetrics),
  },
  {
    name: "a check-in",
    path: "/ingest/v1/check-ins",
    contentType: "application/json",
    sender: "server",
    maxBytes: 16 * KB,
    frames: [
      ["{", '"cpu_pct":1}'],
      ['{"facts":{', '"os":"a","kernel":"b","cores":1}}'],
      ['{"facts":[', "1]}"],
      ['{"cpu_pct":"', '"}'],
    ],
    units: ['"a{n}":0', '"a{n}":""', '"a{n}":{}', '"a{n}":[[]]', ...JSON_UNITS, '"cpu_pct":1', '"facts":{}'].map(
      (unit) => `${unit},`,
    ),
    read: (bytes) => parseCheckInBody(bytes, new Date()),
  },
  {
    name: "an edge report",
    path: "/ingest/v1/edge/reports",
    contentType: "application/json",
    sender: "node",
    maxBytes: 256 * KB,
    frames: [
      listIn("intervals", INTERVAL),
      listIn("acknowledgements", '{"service_id":1,"version":1,"error":null}'),
      ["{", '"intervals":[]}'],
      listIn("intervals", "{}]"),
    ],
    units: [
      ...JSON_UNITS,
      INTERVAL,
      '{"service_id":{n1},"version":1,"error":null}',
      '{"service_id":{n1},"version":1,"error":"a text of some length that says what was wrong"}',
      '"a{n}":0',
    ].map((unit) => `${unit},`),
    read: (bytes) => parseEdgeReport(bytes, new Date()),
  },
  {
    name: "a benchmark's result",
    path: "/ingest/v1/benchmarks/{token}",
    contentType: "application/json",
    sender: "run",
    maxBytes: 64 * KB,
    frames: [
      ["", ""],
      ['{"cpu":{"cores":4,"freq":"2445.404 MHz"},"fio":[', "]}"],
      ['{"cpu":{"cores":4,"freq":"2445.404 MHz"},"iperf":[', "{}]}"],
      ['{"cpu":{"cores":4,"freq":"2445.404 MHz"},"geekbench":', "null}"],
    ],
    units: [
      ...JSON_UNITS.map((unit) => `${unit},`),
      ",",
      ":",
      '"',
      "\\",
      ":,",
      '"":,',
      ": ",
      '{"send":"1.00 Gbits/sec","recv":"busy "},',
      '{"version":6,"single":1,"multi":,},',
    ],
    read: readResult,
  },
  {
    name: "a stranger's form",
    path: "/sign-in",
    contentType: "multipart/form-data; boundary=b",
    sender: "stranger",
    maxBytes: MAX_FORM,
    frames: [
      ["", "--b--\r\n"],
      ['--b\r\nContent-Disposition: form-data; name="$ACTION_1:0"\r\n\r\n[', "]\r\n--b--\r\n"],
    ],
    units: [
      '--b\r\nContent-Disposition: form-data; name="a{n}"\r\n\r\n\r\n',
      '--b\r\nContent-Disposition: form-data; name="$ACTION_REF_{n}"\r\n\r\n\r\n',
      '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n\r\n',
      "--b\r\n\r\n\r\n",
      "--b\r\n",
      "\r\n",
      "a",
      "[",
      "[],",
      '"%22",',
    ],
    async read(bytes) {
      const status = await findFormFault({ "content-type": "multipart/form-data; boundary=b" }, bytes, null);
      if (status !== null) throw new Error(String(status));
    },
  },
];

const SEED = 31;
const CANDIDATES = 80;
const MUTATIONS = 40;
const TRIES = 3;
/** How many are measured again in the end. */
const FINALISTS = 8;
const WARM_UPS = 5;
const MEASURED = 20;
/** Numbers of units just below and above the bounds. */
const COUNTS = [32, 33, 100, 101, 999, 1001, 4990, 9990, 10_002, 12_400, 16_600, 24_900, 25_100, 49_900, 50_100];
/** Every endpoint takes so many units that are good. */
const COUNT_ALONE = 999;

type Genes = { frame: number; units: number[]; count: number };
type Candidate = { genes: Genes; bytes: Buffer; cpuMs: number };

/** For each endpoint the dearest body that is taken and the dearest that is refused. The same seed finds alike bodies. */
export async function findDearestBodies(): Promise<DearBody[]> {
  const found: DearBody[] = [];
  for (const endpoint of ENDPOINTS) {
    let drawn = 0;
    const random = () => randomAt(SEED, drawn++);
    const candidates = new Map<boolean, Candidate[]>();
    const tryGenes = async (genes: Genes) => {
      const bytes = bodyOf(endpoint, genes);
      const { isTaken, cpuMs } = await measure(endpoint, bytes, TRIES);
      const best = [...(candidates.get(isTaken) ?? []), { genes, bytes, cpuMs }];
      candidates.set(isTaken, best.sort((a, b) => b.cpuMs - a.cpuMs).slice(0, FINALISTS));
    };
    for (const genes of everyUnitAlone(endpoint)) await tryGenes(genes);
    for (let n = 0; n < CANDIDATES; n++) await tryGenes(anyGenes(endpoint, random));
    for (let n = 0; n < MUTATIONS; n++) {
      for (const [best] of [...candidates.values()]) {
        if (best) await tryGenes(mutated(endpoint, best.genes, random));
      }
    }
    for (const [isTaken, finalists] of [...candidates].sort()) {
      const { bytes, cpuMs } = await dearest(endpoint, finalists);
      const { name, path, contentType, contentEncoding, sender } = endpoint;
      found.push({
        name,
        path,
        contentType,
        ...(contentEncoding && { contentEncoding }),
        sender,
        isTaken,
        bytes,
        cpuMs,
      });
    }
  }
  return found;
}

/** Of the candidates, each measured longer: what was measured once may have been garbage collection, or code that was cold. */
async function dearest(
  endpoint: Endpoint,
  candidates: readonly Candidate[],
): Promise<{ bytes: Buffer; cpuMs: number }> {
  const measured: { bytes: Buffer; cpuMs: number }[] = [];
  for (const { bytes } of candidates) {
    measured.push({ bytes, cpuMs: (await measure(endpoint, bytes, MEASURED, WARM_UPS)).cpuMs });
  }
  return measured.reduce((a, b) => (b.cpuMs > a.cpuMs ? b : a));
}

async function measure(endpoint: Endpoint, bytes: Buffer, times: number, warmUps = 0) {
  const taken: number[] = [];
  let isTaken = true;
  for (let n = 0; n < warmUps + times; n++) {
    const before = process.cpuUsage();
    try {
      await endpoint.read(bytes);
    } catch {
      isTaken = false;
    }
    const { user, system } = process.cpuUsage(before);
    if (n >= warmUps) taken.push((user + system) / 1000);
  }
  return { isTaken, cpuMs: median(taken) };
}

function bodyOf({ frames, units, maxBytes, contentEncoding, build = textOf }: Endpoint, genes: Genes): Buffer {
  const [head, tail] = frames[genes.frame] ?? ["", ""];
  const parts: string[] = [];
  let left = maxBytes - head.length - tail.length - 64;
  for (let n = 0; n < genes.count; n++) {
    const unit = filled(units[genes.units[n % genes.units.length] ?? 0] ?? "", n);
    left -= Buffer.byteLength(unit);
    if (left < 0) break;
    parts.push(unit);
  }
  const bytes = build(filled(head, 0), parts, filled(tail, 0));
  if (contentEncoding === "gzip") return gzipSync(bytes);
  return contentEncoding === "snappy" ? snappy(bytes) : bytes;
}

function textOf(head: string, units: readonly string[], tail: string): Buffer {
  return Buffer.from(head + units.join("") + tail);
}

function filled(text: string, n: number): string {
  if (!text.includes("{")) return text;
  return text
    .replaceAll("{n}", String(n))
    .replaceAll("{n1}", String(1 + (n % 100)))
    .replaceAll("{now}", String(NOW - (n % 1000)))
    .replaceAll("{seconds}", String(NOW / 1000))
    .replaceAll("{minute}", String(Math.floor(NOW / MINUTE) * MINUTE - 5 * MINUTE));
}

/** Each kind of unit in each frame: most endpoints take bodies of one kind alone, which chance would rarely find. */
function everyUnitAlone({ frames, units }: Endpoint): Genes[] {
  return frames.flatMap((_, frame) => units.map((_, unit) => ({ frame, units: [unit], count: COUNT_ALONE })));
}

function anyGenes({ frames, units }: Endpoint, random: () => number): Genes {
  const below = (end: number) => Math.floor(random() * end);
  const count = random() < 0.5 ? (COUNTS[below(COUNTS.length)] ?? 1) : Math.ceil(1_000_000 ** random());
  return {
    frame: below(frames.length),
    units: Array.from({ length: 1 + below(2) }, () => below(units.length)),
    count,
  };
}

/** One gene is another. */
function mutated(endpoint: Endpoint, genes: Genes, random: () => number): Genes {
  const other = anyGenes(endpoint, random);
  const which = random();
  if (which < 0.5)
    return { ...genes, count: random() < 0.5 ? other.count : Math.ceil(genes.count * (0.8 + random() / 2)) };
  return which < 0.8 ? { ...genes, units: other.units } : { ...genes, frame: other.frame };
}
