import { spawnSync } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { startConsole } from "@/e2e/support/console-server";
import { atEnd, expect, own, ownFolder, test } from "@/e2e/support/fixtures";
import { needs } from "@/e2e/support/needs";
import { startMigratedPostgres, startPostgres, unprivilegedUser } from "@/e2e/support/postgres-server";
import { runInProduction } from "@/e2e/support/production-console";
import { runSql } from "@/e2e/support/run-sql";
import { startSlowProxy } from "@/e2e/support/slow-proxy";
import { queryOnce } from "@/lib/database/connection";
import { DIST_DIRS } from "@/scripts/build";
import { migrate } from "@/scripts/database";

const START = "server/start.mjs";
const BUILT = { CONSOLE_DIST_DIR: DIST_DIRS.test };

test("TLS parameters work as in psql, and an unverified connection is reported once", async () => {
  needs("postgres", "psql", "openssl");
  const postgres = await own(startPostgres());
  const dir = ownFolder();
  chmodSync(dir, 0o755);
  const [key, certificate] = [join(dir, "key.pem"), join(dir, "certificate.pem")];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"];
  const names = ["-addext", "subjectAltName=DNS:localhost"];
  expect(spawnSync("openssl", [...made, ...names, "-keyout", key, "-out", certificate]).status).toBe(0);
  const user = unprivilegedUser();
  if (user) chownSync(key, user.uid, user.gid);
  chmodSync(key, 0o600);
  for (const setting of [`ssl_key_file = '${key}'`, `ssl_cert_file = '${certificate}'`, "ssl = on"]) {
    await runSql(postgres.url, `alter system set ${setting}`);
  }
  await runSql(postgres.url, "select pg_reload_conf()");
  await migrate(postgres.url);
  const at = (host: string, parameters: string) =>
    `postgresql://postgres@${host}:${postgres.port}/postgres?${parameters}`;
  const encrypted = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
  await expect.poll(() => outcome(at("localhost", "sslmode=require"), encrypted)).toEqual([true]);

  const roots = `sslrootcert=${certificate}`;
  for (const [host, parameters] of [
    ["localhost", "sslmode=disable"],
    ["localhost", "sslmode=require"],
    ["localhost", `sslmode=verify-full&${roots}`],
    ["127.0.0.1", `sslmode=verify-full&${roots}`],
    ["127.0.0.1", `sslmode=verify-ca&${roots}`],
    ["127.0.0.1", `sslmode=require&${roots}`],
  ] as const) {
    const url = at(host, parameters);
    const psql = spawnSync("psql", ["-XtAc", encrypted, url], { encoding: "utf8" });
    const expected = psql.status === 0 ? [psql.stdout.trim() === "t"] : "refused";
    expect(await outcome(url, encrypted), `${host} ${parameters}`).toEqual(expected);
  }
  // Older psql has no word for the certificates that the system trusts.
  const system = at("localhost", "sslrootcert=system");
  expect(await outcome(system, encrypted)).toBe("refused");
  process.env.SSL_CERT_FILE = certificate;
  atEnd(() => delete process.env.SSL_CERT_FILE);
  expect(await outcome(system, encrypted)).toEqual([true]);

  const app = await startConsole(at("localhost", "sslmode=require"));
  expect((await fetch(`${app.origin}/readyz`)).status).toBe(200);
  await app.stop();
  const lines = app.output().split("\n");
  expect(lines.filter((line) => line.includes("nothing checks whose server it is"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test("a console does not start where a pooler forgets its time zone", async () => {
  needs("postgres");
  const postgres = await own(startMigratedPostgres());
  await runSql(postgres.url, "alter database postgres set timezone = 'America/New_York'");
  const forget = (bytes: Buffer) =>
    Buffer.from(bytes.toString("latin1").replace("set time zone 'UTC'", "select 1 as ignored"), "latin1");
  const forgetful = await own(startSlowProxy(postgres.port, "127.0.0.1", forget));
  const url = new URL(postgres.url);
  url.port = String(forgetful.port);
  const { code, errors, output } = await runInProduction([START], { ...BUILT, DATABASE_URL: url.href, PORT: "0" });
  expect(code).toBe(1);
  expect(output + errors).toContain("alter role … set timezone = 'UTC'");
});

/** The column of the one row, or that there is no such connection. */
async function outcome(url: string, sql: string): Promise<unknown> {
  try {
    return (await queryOnce(url, sql)).flatMap((row) => Object.values(row));
  } catch {
    return "refused";
  }
}
