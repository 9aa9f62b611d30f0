// Who and what the demo holds, as rows. Ips and names come from the ranges reserved for documentation (RFC 2606, 3849, 5737), so
// that none is anybody's.

import type { AccountRole } from "@/lib/accounts/accounts";
import type { GameService } from "@/lib/generated/prisma/client";
import type { BenchmarkStatus } from "@/lib/generated/prisma/enums";
import type { EventFacts } from "@/lib/servers/events/kinds";
import type { Measurement } from "@/lib/servers/telemetry/measurements";

const ada = "ada@demo.example";
const ben = "ben@demo.example";
const chloe = "chloe@demo.example";
const tom = "tom@demo.example";
const ines = "ines@demo.example";

/** Its password is known to everybody who reads this file: fit for a demo and nothing else. */
const account = (name: string, email: string, role: AccountRole, ageDays: number, disabled = false) => ({
  ...{ name, email, role, ageDays, disabled, password: email.replace("@demo.example", "-demo-password") },
});

/** The one to look around with: it sees something in every state. */
export const FIRST_ACCOUNT = account("Ada Moreno", ada, "customer", 190.37);
export const DEMO_ACCOUNTS = [
  FIRST_ACCOUNT,
  account("Ben Okafor", ben, "customer", 121.61),
  account("Chloé Martin", chloe, "customer", 64.08),
  account("Tom Fischer", tom, "customer", 233.82, true),
  account("Sam Keller", "sam@demo.example", "support", 402.29),
  account("Ines Duarte", ines, "support", 88.55),
  account("Noor Haddad", "noor@demo.example", "admin", 415.17),
];
/** Which accounts are the demo's. */
export const DEMO_EMAILS = { in: DEMO_ACCOUNTS.map(({ email }) => email) };
export const OF_THE_DEMO = { account: { email: DEMO_EMAILS } };

/**
 * Of the first account, beside the one that each start of the demo creates. `age`, `expires` and `revoked` are days before and after
 * now, `used` is hours ago. `busiest`: requests in the busiest hour of the last day, of `hours`; `refused`: those of each hour since its end.
 */
// biome-ignore format: a table reads by its rows
export const DEMO_TOKENS = [
  { name: "Grafana", age: 96.44, used: 0.05, ip: "198.51.100.44", agent: "Grafana/12.2.0", hours: 24, busiest: 1450, new_ip: "203.0.113.61" },
  { name: "Home Assistant", age: 41.71, expires: 49.3, used: 31.3, ip: "2001:db8:40::17", agent: "HomeAssistant/2026.10 aiohttp/3.13" },
  { name: "Nightly report", age: 87.12, expires: 3, used: 9.4, ip: "192.0.2.17", agent: "python-requests/2.32.5", hours: 1, busiest: 107 },
  { name: "Trial", age: 35.5, expires: -5.5, used: 160.2, ip: "203.0.113.90", agent: "insomnia/11.6.1" },
  { name: "Deploy pipeline", age: 3.93, expires: 86.7 },
  { name: "Old laptop", age: 170.26, revoked: 20.6, used: 511.2, ip: "203.0.113.90", agent: "curl/8.14.1", hours: 24, refused: 12 },
];

export type Range = readonly [quiet: number, busy: number];

/** How a machine behaves: each measurement lies between its quietest moment and its busiest. Null: it cannot be measured. */
export type Machine = {
  facts: { os: string; kernel: string; cores: number; memory_mb: number } & Record<string, string | number>;
  publicIp: string | null;
  ranges: Partial<Record<Measurement, Range | null>>;
  memoryPct: Range;
  /** Load per core, as a multiple of how busy the cores are. */
  loadFactor: number;
  failedUnits: number;
  /** What happens again and again; how often is in history.ts. */
  habit?: "falls silent and restarts" | "leaks memory";
  /** What has held for so many days, as an event. */
  holds?: { kind: "strained" | "disk_full" | "unit_failed"; days: number; facts: EventFacts };
  /** It checked in until three hours before the demo was built, and never since. */
  hasStopped?: boolean;
};

const debian = { os: "Debian GNU/Linux 13", kernel: "6.12.48+deb13-amd64", arch: "x86_64", daemon: "2.4.1" };
const ubuntu = { os: "Ubuntu 24.04.3 LTS", kernel: "6.8.0-85-generic", arch: "x86_64", daemon: "2.4.1" };
const arm = { os: "Debian GNU/Linux 13", kernel: "6.12.48+deb13-arm64", arch: "aarch64", daemon: "2.4.0" };
const epyc = { cpu_model: "AMD EPYC 9354P", virtualization: "kvm" };
const ryzen = { cpu_model: "AMD Ryzen 9 7950X", virtualization: "none" };
const altra = { cpu_model: "Ampere Altra", virtualization: "kvm" };

/** A machine that is healthy but for what is said of it. */
function machine(
  publicIp: string | null,
  [cores, memoryGb]: readonly [number, number],
  facts: { os: string; kernel: string } & Record<string, string>,
  { ranges, ...own }: Partial<Machine> = {},
): Machine {
  return {
    ...{ publicIp, facts: { ...facts, cores, memory_mb: memoryGb * 1024 } },
    ...{ memoryPct: [38, 66], loadFactor: 1.1, failedUnits: 0 },
    ranges: {
      ...{ cpuPct: [9, 56], cpuStealPct: [0, 1.4], cpuIowaitPct: [0, 4], swapUsedPct: [0, 6], diskUsedPct: [38, 47] },
      ...{ netLossPct: [0, 0.08], netRetransmitPct: [0.1, 0.8], ...ranges },
    },
    ...own,
  };
}

/** `machine`: null where no daemon is installed yet, so that the server never checks in. */
type DemoServer = { owner: string; label: string; hostname: string; ageDays: number; machine: Machine | null };

// biome-ignore format: a table reads by its rows
export const DEMO_SERVERS: readonly DemoServer[] = [
  { owner: ada, label: "Web front", hostname: "web-1.fra.ada.example", ageDays: 182.12,
    machine: machine("192.0.2.11", [8, 16], { ...debian, ...epyc }) },
  { owner: ada, label: "Database primary", hostname: "db-1.fra.ada.example", ageDays: 182.49,
    machine: machine("192.0.2.12", [16, 64], { ...debian, ...epyc },
      { loadFactor: 1.7, memoryPct: [74, 84], ranges: { cpuPct: [78, 91], cpuIowaitPct: [12, 26] } }) },
  { owner: ada, label: "Backup store", hostname: "backup-1.hel.ada.example", ageDays: 151.66,
    machine: machine("198.51.100.21", [4, 8], { ...debian, ...epyc },
      { ranges: { cpuPct: [4, 32], cpuIowaitPct: [4, 18], diskUsedPct: [94.6, 96.4] },
        holds: { kind: "disk_full", days: 30.4, facts: { percent: 94 } } }) },
  { owner: ada, label: "Minecraft lobby", hostname: "lobby-1.fra.ada.example", ageDays: 133.34,
    machine: machine("2001:db8:a:1::5", [16, 64], { ...ubuntu, ...ryzen },
      { memoryPct: [55, 71], ranges: { cpuPct: [6, 68] }, failedUnits: 1,
        holds: { kind: "unit_failed", days: 12.7, facts: { count: 1 } } }) },
  { owner: ada, label: "Build runner", hostname: "build-1.nbg.ada.example", ageDays: 77.78,
    machine: machine("203.0.113.31", [8, 16], { ...ubuntu, ...epyc },
      { ranges: { cpuPct: [22, 66] }, habit: "falls silent and restarts" }) },
  // Its disk holds what the killed processes left behind.
  { owner: ada, label: "Session cache", hostname: "cache-1.fra.ada.example", ageDays: 109.05,
    machine: machine("192.0.2.13", [4, 8], { ...debian, ...epyc },
      { memoryPct: [91, 98.5], ranges: { swapUsedPct: [58, 83], diskUsedPct: [86.4, 88.2] }, habit: "leaks memory",
        holds: { kind: "strained", days: 30.9, facts: { cause: "memory", score: 738 } } }) },
  { owner: ada, label: "Survival node 3", hostname: "survival-3.ash.ada.example", ageDays: 58.58,
    machine: machine("198.51.100.63", [12, 32], { ...ubuntu, ...ryzen }, { ranges: { netLossPct: [0.4, 3] }, hasStopped: true }) },
  { owner: ada, label: "Staging", hostname: "staging-1.fra.ada.example", ageDays: 16.23, machine: null },
  // Behind the office's firewall the daemon cannot probe the network, and the board has no swap.
  { owner: ada, label: "Office lab", hostname: "lab-1.office.ada.example", ageDays: 44.87,
    machine: machine(null, [4, 8], { ...arm, ...altra },
      { ranges: { netLossPct: null, netRetransmitPct: null, swapUsedPct: null, cpuStealPct: null } }) },
  { owner: ben, label: "Proxy", hostname: "proxy-1.ams.ben.example", ageDays: 118.41,
    machine: machine("198.51.100.140", [4, 8], { ...debian, ...epyc }) },
  { owner: ben, label: "Skyblock", hostname: "skyblock-1.ams.ben.example", ageDays: 118.69,
    machine: machine("198.51.100.141", [16, 64], { ...debian, ...ryzen },
      { ranges: { cpuPct: [30, 74], netLossPct: [0.7, 1.8], netRetransmitPct: [1.2, 3.4] } }) },
  { owner: chloe, label: "Creative world", hostname: "vps-paris.chloe.example", ageDays: 60.14,
    machine: machine("2001:db8:c:7::2", [2, 4], { ...ubuntu, ...epyc },
      { memoryPct: [61, 74], ranges: { cpuStealPct: [3, 9], swapUsedPct: null } }) },
];

/** `scores`: of cpu, disk, network and stability, and the total (docs/agents.md). */
const run = (
  hostname: string,
  label: string,
  hoursAgo: number,
  status: BenchmarkStatus,
  scores: (number | null)[] = [],
  verified = true,
) => {
  const [cpu = null, disk = null, network = null, stability = null, total = null] = scores;
  return { hostname, label, hoursAgo, status, verified, scores: { cpu, disk, network, stability, total } };
};

export const DEMO_RUNS = [
  run("web-1.fra.ada.example", "After delivery", 4_320, "done", [71, 83, 64, 92, 78]),
  run("web-1.fra.ada.example", "After kernel 6.12", 690, "done", [73, 84, 62, 90, 78]),
  run("web-1.fra.ada.example", "Monthly, November", 52, "done", [72, 83, null, 91, 81]),
  run("web-1.fra.ada.example", "With new NVMe", 0.1, "running"),
  run("db-1.fra.ada.example", "Before go-live", 4_300, "done", [78, 91, 66, 88, 82]),
  run("db-1.fra.ada.example", "Under load", 170, "done", [49, 58, 63, 31, 50]),
  run("backup-1.hel.ada.example", "Monthly, November", 51, "done", [60, null, 58, 84, null]),
  run("lobby-1.fra.ada.example", "Single core", 980, "done", [93, null, null, null, null], false),
  run("build-1.nbg.ada.example", "Retry 2", 27, "done", [66, 71, 0, null, 58], false),
  run("build-1.nbg.ada.example", "Retry 3", 0.4, "pending"),
  run("survival-3.ash.ada.example", "Lost contact", 3.2, "running"),
  run("proxy-1.ams.ben.example", "Baseline", 2_700, "done", [64, 79, 70, 95, 76]),
  run("vps-paris.chloe.example", "First try", 1_400, "done", [38, 47, 51, 62, 47]),
];

export type DemoRun = (typeof DEMO_RUNS)[number];

export type DemoService = Pick<
  GameService,
  "name" | "javaHostname" | "originHost" | "originPort" | "status" | "configVersion" | "supportAccess"
> & {
  owner: string;
  ageDays: number;
  /** What the edge nodes say that cannot serve it. */
  error: string | null;
  /** When it came into its status. An inactive service has had no traffic since. */
  changedHoursAgo: number;
  grants: readonly string[];
  /** At the busiest hour, on all edge nodes together. 0: it never had any traffic. */
  players: number;
  /** Hours from one attack to the next. */
  attackedEvery: number | null;
};

/** What most services have. */
const PLAIN = { originPort: 25_565, error: null, supportAccess: false, grants: [], players: 0, attackedEvery: null };

// biome-ignore format: a table reads by its rows
export const DEMO_SERVICES: readonly DemoService[] = [
  { ...PLAIN, owner: ada, name: "Survival", javaHostname: "survival.play.example.net", originHost: "192.0.2.80", ageDays: 131.96,
    status: "active", configVersion: 14, changedHoursAgo: 212, grants: [chloe], players: 640, attackedEvery: 19 },
  { ...PLAIN, owner: ada, name: "Season 2", javaHostname: "season2.play.example.net", originHost: "192.0.2.81", ageDays: 2.31,
    status: "pending_config", configVersion: 0, changedHoursAgo: 48 },
  { ...PLAIN, owner: ada, name: "Lobby", javaHostname: "lobby.play.example.net", originHost: "2001:db8:a:1::5", originPort: 25_577,
    ageDays: 4.52, status: "configuring", configVersion: 1, changedHoursAgo: 0.05 },
  { ...PLAIN, owner: ada, name: "Event arena", javaHostname: "event.play.example.net", originHost: "198.51.100.63", originPort: 25_566,
    ageDays: 3.74, status: "failed", configVersion: 6, error: "The origin 198.51.100.63:25566 refused the connection.",
    changedHoursAgo: 3, grants: [ines], players: 90, attackedEvery: 31 },
  { ...PLAIN, owner: ada, name: "Old survival", javaHostname: "old.play.example.net", originHost: "origin-old.ada.example",
    ageDays: 188.19, status: "disabled", configVersion: 31, changedHoursAgo: 44, players: 25 },
  { ...PLAIN, owner: tom, name: "Anarchy", javaHostname: "anarchy.play.example.net", originHost: "203.0.113.200", originPort: 25_570,
    ageDays: 31.63, status: "deleting", configVersion: 2, changedHoursAgo: 0.7, grants: [ada] },
  { ...PLAIN, owner: ben, name: "Skyblock", javaHostname: "skyblock.play.example.net", originHost: "198.51.100.141", ageDays: 116.46,
    status: "active", configVersion: 22, changedHoursAgo: 77, supportAccess: true, grants: [ada], players: 1_900, attackedEvery: 11 },
  { ...PLAIN, owner: chloe, name: "Creative", javaHostname: "creative.play.example.net", originHost: "2001:db8:c:7::2", ageDays: 59.91,
    status: "active", configVersion: 3, changedHoursAgo: 900, players: 14 },
];

// biome-ignore format: a table reads by its rows
export const DEMO_TICKETS = [
  { owner: chloe, subject: "Players from Brazil see 400 ms", javaHostname: "creative.play.example.net", status: "open", ageDays: 1.28 },
  { owner: ada, subject: "Please keep the old address for a month", javaHostname: "old.play.example.net", status: "closed", ageDays: 3.84 },
  // This hostname is not the owner's service, so the ticket gives staff no access to it.
  { owner: chloe, subject: "Cannot reach Survival through my provider", javaHostname: "survival.play.example.net", status: "open", ageDays: 2.07 },
  { owner: ada, subject: "Invoice address has changed", javaHostname: null, status: "open", ageDays: 5.35 },
  { owner: ben, subject: "Raise the limit of services", javaHostname: null, status: "closed", ageDays: 70.57 },
] as const;

/** Frankfurt, Ashburn and Singapore. `share`: of all players. `latencyMs`: to the origin, undisturbed. */
export const EDGE_NODES = [
  { name: "fra-1", ip: "203.0.113.11", utcOffset: 1, share: 0.62, latencyMs: 7.5 },
  { name: "ash-1", ip: "203.0.113.22", utcOffset: -5, share: 0.27, latencyMs: 84 },
  { name: "sin-1", ip: "203.0.113.33", utcOffset: 8, share: 0.11, latencyMs: 158 },
];
