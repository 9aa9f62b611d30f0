// The programs that tests use beside Node and a browser, and the Debian packages that bring them. Tests ask this table
// through needs.ts. `node e2e/support/programs.mjs` prints the packages that this machine lacks; .ci/run installs them before
// there are any packages of npm, so this file is plain JavaScript.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * `packages`: of Debian; none where no package would help. `isThere`: by default a command of this name in PATH.
 * @typedef {{ packages: string[], isThere?: () => boolean, missing?: string }} Source
 */

/** @param {string} name */
const ofPackage = (name) => ({ packages: [name] });

/** @satisfies {Record<string, Source>} */
export const PROGRAMS = {
  busybox: ofPackage("busybox"),
  caddy: ofPackage("caddy"),
  curl: ofPackage("curl"),
  dash: ofPackage("dash"),
  "dbus-daemon": ofPackage("dbus"),
  haproxy: ofPackage("haproxy"),
  ip: ofPackage("iproute2"),
  libfaketime: { packages: ["libfaketime"], isThere: () => findFaketime() !== null },
  // Namespaces of processes, mounts and networks. In many containers not even root may make them.
  namespaces: {
    packages: [],
    isThere: () => spawnSync("unshare", ["--net", "--pid", "--fork", "--mount-proc", "true"]).status === 0,
    missing: "no right to make namespaces (needs root)",
  },
  nft: ofPackage("nftables"),
  nginx: ofPackage("nginx-light"),
  openssl: ofPackage("openssl"),
  pgbouncer: ofPackage("pgbouncer"),
  ping: ofPackage("iputils-ping"),
  postgres: { packages: ["postgresql"], isThere: () => findPostgres() !== null },
  prometheus: ofPackage("prometheus"),
  "prometheus-node-exporter": ofPackage("prometheus-node-exporter"),
  promtool: ofPackage("prometheus"),
  psql: ofPackage("postgresql-client"),
  python3: ofPackage("python3"),
  "python3 with jinja2": { packages: ["python3-jinja2"], isThere: () => canImport("jinja2") },
  "python3 with yaml": { packages: ["python3-yaml"], isThere: () => canImport("yaml") },
  "redis-server": ofPackage("redis-server"),
  shellcheck: ofPackage("shellcheck"),
  ss: ofPackage("iproute2"),
  // Tests boot it in namespaces. Without systemd-sysv it is not the machine's own first process.
  systemd: { packages: ["systemd"], isThere: () => existsSync("/lib/systemd/systemd") },
  "systemd-analyze": ofPackage("systemd"),
  wget: ofPackage("wget"),
};

/** @typedef {keyof typeof PROGRAMS} Program */

/** @type {Map<string, boolean>} */
const known = new Map();

/**
 * Whether the tests can use a program here.
 * @param {Program} name
 */
export function has(name) {
  /** @type {Source} */
  const { isThere } = PROGRAMS[name];
  const found = known.get(name) ?? (isThere ? isThere() : inPath(name));
  known.set(name, found);
  return found;
}

/**
 * Why a test is skipped: "no haproxy (apt install haproxy)".
 * @param {Program} name
 */
export function reasonWithout(name) {
  /** @type {Source} */
  const { packages, missing } = PROGRAMS[name];
  return missing ?? `no ${name} (apt install ${packages.join(" ")})`;
}

/** The folder of `initdb` and `postgres`, or null when this machine has no PostgreSQL server. */
export function findPostgres() {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...pathFolders(),
    "/opt/homebrew/opt/postgresql/bin",
  ];
  return folders.find((folder) => existsSync(join(folder, "initdb")) && existsSync(join(folder, "postgres"))) ?? null;
}

/** The library that gives a process another clock, or null. */
export function findFaketime() {
  return findLibrary("faketime/libfaketime.so.1");
}

/** @param {string} name */
function inPath(name) {
  return pathFolders().some((folder) => existsSync(join(folder, name)));
}

function pathFolders() {
  return (process.env.PATH ?? "").split(delimiter).filter(Boolean);
}

/** @param {string} file below a folder of libraries, such as /usr/lib/x86_64-linux-gnu */
function findLibrary(file) {
  const libraries = "/usr/lib";
  if (!existsSync(libraries)) return null;
  const folders = readdirSync(libraries).filter((name) => name.endsWith("-linux-gnu"));
  return folders.map((folder) => join(libraries, folder, file)).find((path) => existsSync(path)) ?? null;
}

/** @param {string} names modules of Python */
function canImport(names) {
  return spawnSync("python3", ["-c", `import ${names}`]).status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const missing = /** @type {Program[]} */ (Object.keys(PROGRAMS)).filter((name) => !has(name));
  console.log([...new Set(missing.flatMap((name) => PROGRAMS[name].packages))].join("\n"));
}
