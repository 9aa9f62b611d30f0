// Writes a CPU profile when the app ends. NODE_OPTIONS loads this file, because it does not allow node's --cpu-prof.
import { mkdirSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";

const folder = process.env.BENCH_PROFILE ?? ".";
const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.setSamplingInterval", { interval: 200 });
session.post("Profiler.start");
process.once("exit", () => {
  // The answer comes before `post` returns.
  session.post("Profiler.stop", (error, result) => {
    if (error) return console.error("The profile could not be written:", error.message);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `app-${process.pid}.cpuprofile`), JSON.stringify(result.profile));
  });
});
