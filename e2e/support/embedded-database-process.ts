import { startEmbeddedDatabase } from "@/scripts/embedded-database";

const database = await startEmbeddedDatabase(process.argv[2]);
process.send?.(database.url);
process.once("disconnect", async () => {
  await database.stop();
  process.exit(0);
});
// Ctrl-C reaches the whole process group: the runner decides when the database may go.
process.on("SIGINT", () => {});
