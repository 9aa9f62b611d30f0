import { startEmbeddedDatabase } from "@/server/embedded/database";

// The embedded database as the product starts it, with its files in the folder that is the argument.
const database = await startEmbeddedDatabase(process.argv[2]);
process.send?.(database.url);
process.once("disconnect", async () => {
  await database.stop();
  process.exit(0);
});
// Ctrl-C reaches the whole process group: the runner decides when the database may go.
process.on("SIGINT", () => {});
