import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";
import { servePGlite } from "@/server/embedded/socket-server";

// Runs an embedded database in memory. It is empty, or a copy of the file in the first argument. A message with a file
// name makes it write a copy of itself there.
const [template] = process.argv.slice(2);
// The process lives for seconds, so optimizing hot code would take longer than it saves.
setFlagsFromString("--liftoff-only");
const db = await PGlite.create(template ? { loadDataDir: new Blob([readFileSync(template)]) } : {});
const server = await servePGlite(db, "127.0.0.1");
process.send?.(`postgresql://postgres@${server.host}:${server.port}/postgres?pgbouncer=true`);

process.on("message", async (file: string) => {
  const copy = await db.dumpDataDir("none");
  writeFileSync(file, Buffer.from(await copy.arrayBuffer()));
  process.send?.("copied");
});
process.once("disconnect", async () => {
  await server.stop();
  await db.close();
  process.exit(0);
});
// Ctrl-C reaches the whole process group: the runner decides when the database may go.
process.on("SIGINT", () => {});
