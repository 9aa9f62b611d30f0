import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";
import { servePGlite } from "@/server/embedded/socket-server";

// An embedded database in memory: empty, or a copy of the one in the file that is the argument. Sent the name of a
// file, it writes a copy of itself there.
const [template] = process.argv.slice(2);
// It lives for seconds: compiling its hot parts a second time, for speed, would take longer than they run.
setFlagsFromString("--liftoff-only");
const db = await PGlite.create(template ? { loadDataDir: new Blob([readFileSync(template)]) } : {});
const server = await servePGlite(db, "127.0.0.1");
process.send?.(`postgresql://postgres@${server.host}:${server.port}/postgres`);

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
