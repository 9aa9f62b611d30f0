// Who and what the demo holds: the seed builds these tables, and the simulator reports for what they describe. Ips
// and names come from the ranges reserved for documentation (RFC 2606, 3849, 5737), so that none is anybody's.

import type { AccountRole } from "@/lib/accounts/accounts";
import { HOUR, MINUTE } from "@/lib/format/time";
import type { BenchmarkStatus, GameServiceStatus, TicketStatus } from "@/lib/generated/prisma/enums";
import type { BenchmarkScores } from "@/lib/servers/benchmarks";
import type { Episodes, Range } from "@/prisma/demo/random";

type DemoAccount = {
  name: string;
  email: string;
  role: AccountRole;
  /** Known to everybody who reads this file: fit for a demo and nothing else. */
  password: string;
  disabled: boolean;
  ageDays: number;
};

const ada = "ada@demo.example";
const ben = "ben@demo.example";
const chloe = "chloe@demo.example";
const tom = "tom@demo.example";
const sam = "sam@demo.example";
const ines = "ines@demo.example";
const noor = "noor@demo.example";

/** The first is the one to look around with: it sees something in every state. */
// biome-ignore format: a table reads by its rows
export const DEMO_ACCOUNTS: readonly [DemoAccount, ...DemoAccount[]] = [
  { name: "Ada Moreno", email: ada, role: "customer", password: "ada-demo-password", disabled: false, ageDays: 190.37 },
  { name: "Ben Okafor", email: ben, role: "customer", password: "ben-demo-password", disabled: false, ageDays: 121.61 },
  { name: "Chloé Martin", email: chloe, role: "customer", password: "chloe-demo-password", disabled: false, ageDays: 64.08 },
  { name: "Tom Fischer", email: tom, role: "customer", password: "tom-demo-password", disabled: true, ageDays: 233.82 },
  { name: "Sam Keller", email: sam, role: "support", password: "sam-demo-password", disabled: false, ageDays: 402.29 },
  { name: "Ines Duarte", email: ines, role: "support", password: "ines-demo-password", disabled: false, ageDays: 88.55 },
  { name: "Noor Haddad", email: noor, role: "admin", password: "noor-demo-password", disabled: false, ageDays: 415.17 },
];

type DemoToken = {
  name: string;
  ageDays: number;
  /** Null: does not expire. */
  expiresInDays: number | null;
  /** Null: still active. */
  revokedDaysAgo: number | null;
  /** Null: never used. */
  used: { hoursAgo: number; ip: string; agent: string } | null;
  /** How many requests it sent in the hour of its last use. */
  burst?: number;
  /** Requests since its end, which some program goes on sending evenly. */
  tried?: { count: number; hoursAgo: number; ip: string; agent: string };
  /** A day of requests, this many in the busiest hour, and an ip that it was first used from lately. */
  traffic?: { busiest: number; newIp: string };
};

/** Of the first account, beside the one that each start of the demo creates. */
// biome-ignore format: a table reads by its rows
export const DEMO_TOKENS: readonly DemoToken[] = [
  { name: "Grafana", ageDays: 96.44, expiresInDays: null, revokedDaysAgo: null,
    used: { hoursAgo: 0.05, ip: "198.51.100.44", agent: "Grafana/12.2.0" },
    traffic: { busiest: 1450, newIp: "203.0.113.61" } },
  { name: "Home Assistant", ageDays: 41.71, expiresInDays: 49.3, revokedDaysAgo: null,
    used: { hoursAgo: 31.3, ip: "2001:db8:40::17", agent: "HomeAssistant/2026.10 aiohttp/3.13" } },
  { name: "Nightly report", ageDays: 87.12, expiresInDays: 3, revokedDaysAgo: null,
    used: { hoursAgo: 9.4, ip: "192.0.2.17", agent: "python-requests/2.32.5" }, burst: 46 },
  { name: "Trial", ageDays: 35.5, expiresInDays: -5.5, revokedDaysAgo: null,
    used: { hoursAgo: 160.2, ip: "203.0.113.90", agent: "insomnia/11.6.1" } },
  { name: "Deploy pipeline", ageDays: 3.93, expiresInDays: 86.7, revokedDaysAgo: null, used: null },
  { name: "Old laptop", ageDays: 170.26, expiresInDays: null, revokedDaysAgo: 20.6,
    used: { hoursAgo: 511.2, ip: "203.0.113.90", agent: "curl/8.14.1" },
    tried: { count: 5902, hoursAgo: 0.2, ip: "203.0.113.90", agent: "curl/8.14.1" } },
];

/** How a machine behaves. Percentages wander between low and high; null is what the daemon cannot measure. */
export type Machine = {
  /** Of all cores together; busiest in the evening. */
  cpuPct: Range;
  cpuStealPct: Range | null;
  cpuIowaitPct: Range | null;
  /** Load per core, as a multiple of how busy the cores are. */
  loadFactor: number;
  memoryPct: Range;
  /** Memory climbs from low to high in this many milliseconds, then a process is killed. Null: it does not leak. */
  outOfMemoryEvery: number | null;
  swapPct: Range | null;
  diskPct: Range;
  lossPct: Range | null;
  retransmitPct: Range | null;
  /** Milliseconds between unexpected restarts. */
  restartsEvery: number | null;
  failedUnits: number;
  /** When the daemon says nothing, in milliseconds. */
  silence: Episodes | null;
};

const HEALTHY: Machine = {
  cpuPct: [9, 56],
  cpuStealPct: [0, 1.4],
  cpuIowaitPct: [0, 4],
  loadFactor: 1.1,
  memoryPct: [38, 66],
  outOfMemoryEvery: null,
  swapPct: [0, 6],
  diskPct: [31, 58],
  lossPct: [0, 0.08],
  retransmitPct: [0.1, 0.8],
  restartsEvery: null,
  failedUnits: 0,
  silence: null,
};

export type Daemon = {
  /** `stopped`: checked in until some hours before the demo was built, and never since. */
  state: "running" | "stopped";
  publicIp: string | null;
  facts: { os: string; kernel: string; cores: number; memory_mb: number } & Record<string, string | number>;
  machine: Machine;
};

export type DemoServer = {
  owner: string;
  label: string;
  hostname: string;
  ageDays: number;
  /** Null: not installed yet, so the server never checks in. */
  daemon: Daemon | null;
};

const debian = { os: "Debian GNU/Linux 13", kernel: "6.12.48+deb13-amd64", arch: "x86_64", daemon: "2.4.1" };
const ubuntu = { os: "Ubuntu 24.04.3 LTS", kernel: "6.8.0-85-generic", arch: "x86_64", daemon: "2.4.1" };
const arm = { os: "Debian GNU/Linux 13", kernel: "6.12.48+deb13-arm64", arch: "aarch64", daemon: "2.4.0" };
const epyc = { cpu_model: "AMD EPYC 9354P", virtualization: "kvm" };
const ryzen = { cpu_model: "AMD Ryzen 9 7950X", virtualization: "none" };
const altra = { cpu_model: "Ampere Altra", virtualization: "kvm" };

/** A daemon that runs on a machine, which is healthy but for what is said of it. */
const running = (publicIp: string | null, facts: Daemon["facts"], machine: Partial<Machine> = {}): Daemon => ({
  ...{ state: "running", publicIp, facts },
  machine: { ...HEALTHY, ...machine },
});

// biome-ignore format: a table reads by its rows
export const DEMO_SERVERS: readonly DemoServer[] = [
  { owner: ada, label: "Web front", hostname: "web-1.fra.ada.example", ageDays: 182.12,
    daemon: running("192.0.2.11", { ...debian, ...epyc, cores: 8, memory_mb: 16_384 }) },
  { owner: ada, label: "Database primary", hostname: "db-1.fra.ada.example", ageDays: 182.49,
    daemon: running("192.0.2.12", { ...debian, ...epyc, cores: 16, memory_mb: 65_536 },
      { cpuPct: [78, 91], cpuIowaitPct: [12, 26], loadFactor: 1.7, memoryPct: [74, 84] }) },
  { owner: ada, label: "Backup store", hostname: "backup-1.hel.ada.example", ageDays: 151.66,
    daemon: running("198.51.100.21", { ...debian, ...epyc, cores: 4, memory_mb: 8_192 },
      { cpuPct: [4, 32], cpuIowaitPct: [4, 18], diskPct: [94.6, 96.4] }) },
  { owner: ada, label: "Minecraft lobby", hostname: "lobby-1.fra.ada.example", ageDays: 133.34,
    daemon: running("2001:db8:a:1::5", { ...ubuntu, ...ryzen, cores: 16, memory_mb: 65_536 },
      { cpuPct: [6, 68], memoryPct: [55, 71], failedUnits: 1 }) },
  { owner: ada, label: "Build runner", hostname: "build-1.nbg.ada.example", ageDays: 77.78,
    daemon: running("203.0.113.31", { ...ubuntu, ...epyc, cores: 8, memory_mb: 16_384 },
      { cpuPct: [22, 66], restartsEvery: 9 * HOUR, silence: { slot: 40 * MINUTE, chance: 0.6, lasts: [3 * MINUTE, 7 * MINUTE] } }) },
  // Its disk holds what the killed processes left behind.
  { owner: ada, label: "Session cache", hostname: "cache-1.fra.ada.example", ageDays: 109.05,
    daemon: running("192.0.2.13", { ...debian, ...epyc, cores: 4, memory_mb: 8_192 },
      { memoryPct: [91, 98.5], outOfMemoryEvery: 3 * HOUR, swapPct: [58, 83], diskPct: [86.4, 88.2] }) },
  { owner: ada, label: "Survival node 3", hostname: "survival-3.ash.ada.example", ageDays: 58.58,
    daemon: { ...running("198.51.100.63", { ...ubuntu, ...ryzen, cores: 12, memory_mb: 32_768 }, { lossPct: [0.4, 3] }), state: "stopped" } },
  { owner: ada, label: "Staging", hostname: "staging-1.fra.ada.example", ageDays: 16.23, daemon: null },
  // Behind the office's firewall the daemon cannot probe the network, and the board has no swap.
  { owner: ada, label: "Office lab", hostname: "lab-1.office.ada.example", ageDays: 44.87,
    daemon: running(null, { ...arm, ...altra, cores: 4, memory_mb: 8_192 },
      { lossPct: null, retransmitPct: null, swapPct: null, cpuStealPct: null }) },
  { owner: ben, label: "Proxy", hostname: "proxy-1.ams.ben.example", ageDays: 118.41,
    daemon: running("198.51.100.140", { ...debian, ...epyc, cores: 4, memory_mb: 8_192 }) },
  { owner: ben, label: "Skyblock", hostname: "skyblock-1.ams.ben.example", ageDays: 118.69,
    daemon: running("198.51.100.141", { ...debian, ...ryzen, cores: 16, memory_mb: 65_536 },
      { cpuPct: [30, 74], lossPct: [0.7, 1.8], retransmitPct: [1.2, 3.4] }) },
  { owner: chloe, label: "Creative world", hostname: "vps-paris.chloe.example", ageDays: 60.14,
    daemon: running("2001:db8:c:7::2", { ...ubuntu, ...epyc, cores: 2, memory_mb: 4_096 },
      { cpuStealPct: [3, 9], memoryPct: [61, 74], swapPct: null }) },
];

export type DemoRun = {
  hostname: string;
  label: string;
  status: BenchmarkStatus;
  hoursAgo: number;
  scores: BenchmarkScores;
  verified: boolean;
};

const scores = (
  cpu: number | null,
  disk: number | null,
  network: number | null,
  stability: number | null,
  total: number | null,
): BenchmarkScores => ({ cpu, disk, network, stability, total });

const UNFINISHED = scores(null, null, null, null, null);

/** Total: cpu 35, disk 30, network 15, stability 20 of 100 over what was measured; none without cpu, disk and a third. */
// biome-ignore format: a table reads by its rows
export const DEMO_RUNS: readonly DemoRun[] = [
  { hostname: "web-1.fra.ada.example", label: "After delivery", status: "done", hoursAgo: 4_320, scores: scores(71, 83, 64, 92, 78), verified: true },
  { hostname: "web-1.fra.ada.example", label: "After kernel 6.12", status: "done", hoursAgo: 690, scores: scores(73, 84, 62, 90, 78), verified: true },
  { hostname: "web-1.fra.ada.example", label: "Monthly, November", status: "done", hoursAgo: 52, scores: scores(72, 83, null, 91, 81), verified: true },
  { hostname: "web-1.fra.ada.example", label: "With new NVMe", status: "running", hoursAgo: 0.1, scores: UNFINISHED, verified: false },
  { hostname: "db-1.fra.ada.example", label: "Before go-live", status: "done", hoursAgo: 4_300, scores: scores(78, 91, 66, 88, 82), verified: true },
  { hostname: "db-1.fra.ada.example", label: "Under load", status: "done", hoursAgo: 170, scores: scores(49, 58, 63, 31, 50), verified: true },
  { hostname: "backup-1.hel.ada.example", label: "Monthly, November", status: "done", hoursAgo: 51, scores: scores(60, null, 58, 84, null), verified: true },
  { hostname: "lobby-1.fra.ada.example", label: "Single core", status: "done", hoursAgo: 980, scores: scores(93, null, null, null, null), verified: false },
  { hostname: "build-1.nbg.ada.example", label: "Retry 2", status: "done", hoursAgo: 27, scores: scores(66, 71, 0, null, 58), verified: false },
  { hostname: "build-1.nbg.ada.example", label: "Retry 3", status: "pending", hoursAgo: 0.4, scores: UNFINISHED, verified: false },
  { hostname: "survival-3.ash.ada.example", label: "Lost contact", status: "running", hoursAgo: 3.2, scores: UNFINISHED, verified: false },
  { hostname: "proxy-1.ams.ben.example", label: "Baseline", status: "done", hoursAgo: 2_700, scores: scores(64, 79, 70, 95, 76), verified: true },
  { hostname: "vps-paris.chloe.example", label: "First try", status: "done", hoursAgo: 1_400, scores: scores(38, 47, 51, 62, 47), verified: true },
];

export type Traffic = {
  /** At the busiest hour, on all edge nodes together. */
  players: number;
  /** How likely an attack is within four hours, 0 to 1. */
  attackChance: number;
};

export type DemoService = {
  owner: string;
  name: string;
  javaHostname: string;
  originHost: string;
  originPort: number;
  ageDays: number;
  status: GameServiceStatus;
  configVersion: number;
  error: string | null;
  /** When it came into its status. An inactive service has had no traffic since. */
  changedHoursAgo: number;
  supportAccess: boolean;
  grants: readonly string[];
  /** Null: it never had any. */
  traffic: Traffic | null;
};

/** What most services have. */
const PLAIN = { originPort: 25_565, error: null, supportAccess: false, grants: [], traffic: null };

// biome-ignore format: a table reads by its rows
export const DEMO_SERVICES: readonly DemoService[] = [
  { ...PLAIN, owner: ada, name: "Survival", javaHostname: "survival.play.example.net", originHost: "192.0.2.80", ageDays: 131.96,
    status: "active", configVersion: 14, changedHoursAgo: 212, grants: [chloe], traffic: { players: 640, attackChance: 0.16 } },
  { ...PLAIN, owner: ada, name: "Season 2", javaHostname: "season2.play.example.net", originHost: "192.0.2.81", ageDays: 2.31,
    status: "pending_config", configVersion: 0, changedHoursAgo: 48 },
  { ...PLAIN, owner: ada, name: "Lobby", javaHostname: "lobby.play.example.net", originHost: "2001:db8:a:1::5", originPort: 25_577,
    ageDays: 4.52, status: "configuring", configVersion: 1, changedHoursAgo: 0.05 },
  { ...PLAIN, owner: ada, name: "Event arena", javaHostname: "event.play.example.net", originHost: "198.51.100.63", originPort: 25_566,
    ageDays: 3.74, status: "failed", configVersion: 6, error: "The origin 198.51.100.63:25566 refused the connection.",
    changedHoursAgo: 3, grants: [ines], traffic: { players: 90, attackChance: 0.12 } },
  { ...PLAIN, owner: ada, name: "Old survival", javaHostname: "old.play.example.net", originHost: "origin-old.ada.example",
    ageDays: 188.19, status: "disabled", configVersion: 31, changedHoursAgo: 44, traffic: { players: 25, attackChance: 0 } },
  { ...PLAIN, owner: tom, name: "Anarchy", javaHostname: "anarchy.play.example.net", originHost: "203.0.113.200", originPort: 25_570,
    ageDays: 31.63, status: "deleting", configVersion: 2, changedHoursAgo: 0.7, grants: [ada] },
  { ...PLAIN, owner: ben, name: "Skyblock", javaHostname: "skyblock.play.example.net", originHost: "198.51.100.141", ageDays: 116.46,
    status: "active", configVersion: 22, changedHoursAgo: 77, supportAccess: true, grants: [ada],
    traffic: { players: 1_900, attackChance: 0.22 } },
  { ...PLAIN, owner: chloe, name: "Creative", javaHostname: "creative.play.example.net", originHost: "2001:db8:c:7::2", ageDays: 59.91,
    status: "active", configVersion: 3, changedHoursAgo: 900, traffic: { players: 14, attackChance: 0.02 } },
];

type DemoTicket = {
  owner: string;
  subject: string;
  /** Of the service it is linked to, if any. */
  javaHostname: string | null;
  status: TicketStatus;
  ageDays: number;
};

// biome-ignore format: a table reads by its rows
export const DEMO_TICKETS: readonly DemoTicket[] = [
  { owner: chloe, subject: "Players from Brazil see 400 ms", javaHostname: "creative.play.example.net", status: "open", ageDays: 1.28 },
  { owner: ada, subject: "Please keep the old address for a month", javaHostname: "old.play.example.net", status: "closed", ageDays: 3.84 },
  // This hostname is not the owner's service, so the ticket gives staff no access to it.
  { owner: chloe, subject: "Cannot reach Survival through my provider", javaHostname: "survival.play.example.net", status: "open", ageDays: 2.07 },
  { owner: ada, subject: "Invoice address has changed", javaHostname: null, status: "open", ageDays: 5.35 },
  { owner: ben, subject: "Raise the limit of services", javaHostname: null, status: "closed", ageDays: 70.57 },
];

export type EdgeNode = {
  /** Stands for the node wherever chance decides. In an empty database it gets this id, too. */
  id: number;
  name: string;
  ip: string;
  /** Hours to be added to UTC. */
  utcOffset: number;
  /** Of all players, 0 to 1. */
  share: number;
  /** To the origin, undisturbed. */
  latencyMs: number;
};

/** Frankfurt, Ashburn and Singapore. */
export const EDGE_NODES: readonly EdgeNode[] = [
  { id: 1, name: "fra-1", ip: "203.0.113.11", utcOffset: 1, share: 0.62, latencyMs: 7.5 },
  { id: 2, name: "ash-1", ip: "203.0.113.22", utcOffset: -5, share: 0.27, latencyMs: 84 },
  { id: 3, name: "sin-1", ip: "203.0.113.33", utcOffset: 8, share: 0.11, latencyMs: 158 },
];
