import { chownSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port";
import { startProgram } from "./own-program";
import { unprivilegedUser, untilReady } from "./postgres-server";

/** A PgBouncer of the test's own, in transaction mode, in front of one database. */
export type PgBouncer = { url: string; stop(): Promise<void> };

/** `poolSize`: the connections to PostgreSQL that all its clients share. Everything else is as it comes. */
export async function startPgBouncer(databaseUrl: string, poolSize: number): Promise<PgBouncer> {
  const { hostname, port, username, pathname } = new URL(databaseUrl);
  const database = pathname.slice(1);
  const user = unprivilegedUser();
  const dir = mkdtempSync(join(tmpdir(), "console-pgbouncer-"));
  const ownPort = await freePort();
  const settings = join(dir, "pgbouncer.ini");
  writeFileSync(join(dir, "users.txt"), `"${username}" ""\n`);
  writeFileSync(
    settings,
    `[databases]
${database} = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = trust
auth_file = ${join(dir, "users.txt")}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`,
  );
  if (user) chownSync(dir, user.uid, user.gid);
  const { child, stop } = startProgram("pgbouncer", ["-q", settings], { ...user, dir, cwd: dir });
  const url = `postgresql://${username}@127.0.0.1:${ownPort}/${database}`;
  await untilReady(url, child);
  return { url, stop: () => stop("SIGKILL") };
}
