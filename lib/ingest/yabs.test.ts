import { expect, test } from "vitest";
import { InvalidInputError } from "@/lib/failures";
import { scoreBenchmark } from "@/lib/servers/benchmark-scores";
import { parseYabs } from "./yabs";

// As the script joins it, with values of one machine.
const HEAD =
  '{"version":"v2026-07-03","time":"20261121-120000","os":{"arch":"x64","distro":"Debian GNU/Linux 13 (trixie)","kernel":"6.12.48+deb13-amd64","uptime":1234.56,"vm":"KVM"},"net":{"ipv4":true,"ipv6":false},"cpu":{"model":"AMD EPYC-Milan Processor","cores":4,"freq":"2445.404 MHz","aes":true,"virt":false},"mem":{"ram":8142440,"ram_units":"KiB","swap":0,"swap_units":"KiB","disk":82045336,"disk_units":"KB"}';
const FIO =
  ',"partition":"/dev/vda1","fio":[{"bs":"4k","speed_r":150000,"iops_r":37500,"speed_w":150000,"iops_w":37500,"speed_rw":300000,"iops_rw":75000,"speed_units":"KBps"},{"bs":"1m","speed_r":500000,"iops_r":488,"speed_w":500000,"iops_w":488,"speed_rw":1000000,"iops_rw":976,"speed_units":"KBps"}]';
const place = (send: string, recv: string) =>
  `{"mode":"IPv4","provider":"Clouvider","loc":"London, UK (10G)","send":"${send}","recv":"${recv}","latency":"1.2 ms"}`;
const IPERF = `,"iperf":[${place("1.00 Gbits/sec", "500 Mbits/sec")},${place("busy ", "busy ")},${place("900 Mbits/sec", "5.00 Gbits/sec")},${place("2.00 Gbits/sec", "500 Mbits/sec")}]`;
const GEEKBENCH =
  ',"geekbench":[{"version":6,"single":1500,"multi":4000,"url":"https://browser.geekbench.com/v6/cpu/1"}]';
const TAIL = ',"runtime":{"start":1795262400,"end":1795263000,"elapsed":600}}';

test("a whole result scores each section by its curve and totals their weighted mean", () => {
  const { measured, machine } = parseYabs(HEAD + FIO + IPERF + GEEKBENCH + TAIL);
  expect(measured).toEqual({
    geekbench: { version: 6, single: 1500, multi: 4000 },
    coreGhz: expect.closeTo(9.78, 2),
    smallIops: 75_000,
    largeMbPerS: 1000,
    sentMbitPerS: 1000,
    receivedMbitPerS: 500,
  });
  expect(machine).toEqual({ cores: 4, memoryMb: expect.closeTo(7951.6, 1), kernel: "6.12.48+deb13-amd64" });
  // cpu (65 + 50) / 2, disk (70 + 70) / 2, network (75 + 60) / 2; total (40·58 + 35·70 + 25·68) / 100.
  expect(scoreBenchmark(measured)).toEqual({ cpu: 58, disk: 70, network: 68, stability: null, total: 65 });
});

test("an unmeasured value is null, never zero, and does not count in the total", () => {
  const scores = (json: string) => scoreBenchmark(parseYabs(json).measured);
  expect(scores(HEAD + FIO + TAIL)).toMatchObject({ disk: 70, network: null, stability: null });
  // Without Geekbench the clock of the cores stands in for it.
  expect(scores(HEAD + TAIL)).toEqual({ cpu: 30, disk: null, network: null, stability: null, total: 30 });
  expect(scores('{"version":"v1"}')).toEqual({ cpu: null, disk: null, network: null, stability: null, total: null });
  const allBusy = `,"iperf":[${place("busy ", "busy ")}]`;
  expect(scores(HEAD + FIO + allBusy + TAIL)).toMatchObject({ network: null });
});

test("the gaps that the script leaves where a test failed are mended", () => {
  const whole = parseYabs(HEAD + FIO + GEEKBENCH + TAIL);
  for (const json of [
    `${HEAD}${FIO},"iperf":]${GEEKBENCH}${TAIL}`,
    `${HEAD}${FIO},"iperf":[${place("busy ", "busy ")},]${GEEKBENCH}${TAIL}`,
    `${HEAD}${FIO},"iperf":null${GEEKBENCH}${TAIL}`,
    `${HEAD}${FIO}${GEEKBENCH},"ip_info":{"isp":"A \t B","asn":}${TAIL}`,
    `${HEAD}${FIO}${GEEKBENCH},"note":"a gap in a text :, ,] stays","empty":${TAIL}`,
  ]) {
    expect(parseYabs(json), json.slice(-200)).toEqual(whole);
  }
  const unread = ',"geekbench":[{"version":6,"single":,"multi":,"url":"https://browser.geekbench.com/v6/cpu/1"}]';
  expect(parseYabs(HEAD + unread + TAIL).measured.geekbench).toBeNull();
  expect(parseYabs(`${HEAD},"geekbench":null${TAIL}`).measured.geekbench).toBeNull();
});

test("an older Geekbench counts by its factor, and the newest of several counts", () => {
  const version = (n: number, single: number) => `{"version":${n},"single":${single},"multi":${single * 3},"url":"x"}`;
  const cpuOf = (list: string) => scoreBenchmark(parseYabs(`{"geekbench":[${list}]}`).measured).cpu;
  expect(cpuOf(version(5, 1000))).toBe(cpuOf(version(6, 1350)));
  expect(cpuOf(`${version(4, 9000)},${version(6, 1000)}`)).toBe(cpuOf(version(6, 1000)));
});

test("what is no result is refused in a sentence, hostile text too", () => {
  const hostile = [
    "",
    "null",
    "[]",
    "{",
    '"',
    '"\\'.repeat(32_000),
    ":".repeat(64_000),
    ",".repeat(64_000),
    `{"a":${" ".repeat(60_000)}`,
    "[".repeat(64_000),
  ];
  for (const json of hostile) expect(() => parseYabs(json), json.slice(0, 20)).toThrow(InvalidInputError);
});

test.each(["1.2.3 MHz", "99999999999999999 MHz", "1e400 MHz", ". MHz", "NaN MHz"])(
  "a clock of %s is not measured, and never the best there is",
  (freq) => {
    const { measured } = parseYabs(`{"cpu":{"cores":4,"freq":"${freq}"}}`);
    expect(measured.coreGhz).toBeNull();
    expect(scoreBenchmark(measured).cpu).toBeNull();
  },
);
