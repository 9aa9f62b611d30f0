import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

// The rows that the recorded console starts with. Plain SQL: no rule of the product takes part in it. What the answers say as
// it is has a date of 2025; what depends on the present lies a whole time before `now`.

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const base62 = (value: bigint, length: number) =>
  Array.from({ length }, (_, at) => BASE62[Number((value / 62n ** BigInt(at)) % 62n)])
    .reverse()
    .join("");
const sha256 = (text: string) => createHash("sha256").update(text);

/** Every secret of the recording by its value, so that the file says whose it is. */
export const SECRETS = new Map<string, string>();

/** The same token or key for the same name, always. */
export function secret(prefix: "cpat" | "csrv", name: string): string {
  const random = base62(BigInt(`0x${sha256(name).digest("hex")}`), 30);
  const raw = `${prefix}_${random}${base62(BigInt(crc32(random)), 6)}`;
  SECRETS.set(raw, name);
  return raw;
}

/** The same cookie for the same name, always. */
export function session(name: string): string {
  const raw = sha256(`session of ${name}`).digest("base64url");
  SECRETS.set(raw, `session of ${name}`);
  return raw;
}

const ACCOUNTS = ["customer", "support", "admin", "neighbour", "disabled"] as const;
type AccountName = (typeof ACCOUNTS)[number];
/** Each part of the recording has tokens of its own, so that none depends on how many requests another one sent. */
export const tokenOf = (account: AccountName, part: string) => secret("cpat", `${account}, ${part}`);

const quoted = (value: string | number | null) => (typeof value === "string" ? `'${value}'` : String(value));
const rows = (table: string, columns: string, values: (string | number | null)[][]) =>
  `insert into ${table} (${columns}) values ${values.map((row) => `(${row.map(quoted).join(", ")})`).join(", ")};\n`;
const hashed = (raw: string) => [sha256(raw).digest("hex"), raw.slice(-4)];

/** All rows at `now`. Their ids are below 1000, and what is made while recording begins there. */
export function seed(now: number, parts: readonly string[]): string {
  const ago = (ms: number) => new Date(now - ms).toISOString();
  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  const old = "2025-03-04T05:06:07.890Z";
  const account = (name: AccountName) => ACCOUNTS.indexOf(name) + 1;
  const token = (name: AccountName, title: string, raw: string, more: (string | null)[] = [null, null, "{}"]) => [
    account(name),
    title,
    ...hashed(raw),
    ago(10 * day),
    ...more,
  ];
  const ended = (title: string, more: (string | null)[]) => token("customer", title, secret("cpat", title), more);
  return [
    rows(
      "accounts",
      "id, name, email, role, password_hash, disabled_at, created_at",
      ACCOUNTS.map((name, at) => [
        at + 1,
        `The ${name}`,
        `${name}@example.com`,
        ["customer", "support", "admin"][at] ?? "customer",
        "none",
        name === "disabled" ? old : null,
        old,
      ]),
    ),
    rows(
      "sessions",
      "token_hash, account_id, created_at, expires_at, authenticated_at",
      ACCOUNTS.map((name, at) => [hashed(session(name))[0] ?? "", at + 1, ago(minute), ago(-29 * day), ago(minute)]),
    ),
    rows("access_tokens", "account_id, name, token_hash, hint, created_at, expires_at, revoked_at, networks", [
      ...parts.flatMap((part) =>
        (["customer", "support", "admin", "neighbour", "disabled"] as const).map((name) =>
          token(name, `For ${part}`, tokenOf(name, part)),
        ),
      ),
      ended("revoked", [null, ago(day), "{}"]),
      ended("expired", [ago(day), null, "{}"]),
      ended("expires in ten days", [ago(-10 * day), null, "{}"]),
      ended("from elsewhere", [null, null, "{203.0.113.0/24}"]),
      ended("for the limit", [null, null, "{}"]),
    ]),
    rows("servers", "id, account_id, label, hostname, public_ip, facts, created_at, last_seen_at", [
      [11, 1, "web-1", "web-1.example.net", null, "{}", old, null],
      [12, 1, "never heard", "new.example.net", null, "{}", old, null],
      [
        13,
        1,
        "silent <b>&amp;</b>",
        "silent.example.net",
        "192.0.2.13",
        '{"os": "Debian", "cores": 4}',
        old,
        ago(10 * day),
      ],
      [14, 1, "benchmarked", "bench.example.net", "192.0.2.14", "{}", old, ago(10 * day)],
      [15, 1, "reporting", "reporting.example.net", null, "{}", old, null],
      [21, 4, "foreign", "foreign.example.net", "192.0.2.21", "{}", old, ago(10 * day)],
    ]),
    rows("server_keys", "server_id, key_hash, hint, created_at, expires_at", [
      [11, ...hashed(secret("csrv", "server 11")), old, null],
    ]),
    rows(
      "benchmark_runs",
      "id, server_id, label, status, cpu, disk, network, stability, total, verified, log, created_at, finished_at",
      [
        [1, 14, "first", "done", 50, 60, 70, 80, 65, "true", "the log", old, "2025-03-05T00:00:00Z"],
        [2, 14, "only CPU", "done", 100, null, null, null, 100, "false", "", old, "2025-03-06T00:00:00Z"],
        [3, 14, "same time", "done", 0, 0, 0, 0, 0, "true", "", old, "2025-03-06T00:00:00Z"],
        [4, 14, "waits", "pending", null, null, null, null, null, "false", "", ago(minute), null],
        [5, 14, "runs", "running", null, null, null, null, null, "false", "", ago(minute), null],
        [6, 21, "foreign", "done", 1, 2, 3, 4, 5, "true", "", old, "2025-03-05T00:00:00Z"],
      ],
    ),
    rows(
      "game_services",
      "id, account_id, name, status, java_hostname, origin_host, origin_port, config_version, error, support_access, created_at, updated_at",
      [
        [31, 1, "Survival", "active", 3, null, "false"],
        [32, 1, "Creative", "failed", 2, "The origin refused the connection.", "false"],
        [33, 1, "Closed", "disabled", 7, null, "false"],
        [41, 4, "shared with the customer", "active", 1, null, "false"],
        [42, 4, "open for staff", "active", 1, null, "true"],
        [43, 4, "with an open ticket", "active", 1, null, "false"],
        [44, 4, "with a closed ticket", "active", 1, null, "false"],
        [45, 4, "shared with support", "active", 1, null, "false"],
      ].map(([id, owner, name, status, version, error, access]) => [
        ...[
          id,
          owner,
          name,
          status,
          `s${id}.play.example.net`,
          "198.51.100.7",
          25_565,
          version,
          error,
          access,
          old,
          old,
        ].map((value) => value ?? null),
      ]),
    ),
    rows("service_grants", "service_id, account_id, created_at", [
      [41, 1, old],
      [45, 2, old],
    ]),
    rows("tickets", "id, account_id, service_id, subject, status, created_at", [
      [1, 4, 43, "Players cannot connect", "open", old],
      [2, 4, 44, "Players cannot connect", "closed", old],
      [3, 1, 44, "Of another account", "open", old],
      [4, 4, null, "Of no service", "open", old],
    ]),
    rows(
      "metric_samples",
      "service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms",
      [5 * minute, 30 * minute, 2 * hour, 20 * hour, 2 * day, 6 * day].flatMap((age, at) => [
        [31, ago(age), 2, 1000 + at, 64_000 + at, at, 10 + at, at % 2 === 0 ? 12.5 : null],
        [31, ago(age), 1, 2000 + at, 128_000 + at, 0, 20 + at, 7],
        [41, ago(age), 1, 9_007_199_254_740_991, 1, 1, 1, 0.25],
      ]),
    ),
    ...["accounts", "access_tokens", "servers", "benchmark_runs", "game_services", "tickets"].map(
      (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), 1000);\n`,
    ),
  ].join("");
}
