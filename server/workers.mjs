// Runs several worker processes behind one port. It replaces workers that die and ends with them. Its own parent sees
// one server.
import cluster from "node:cluster";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { tellRefusedStart } from "../lib/process/refused-start.mjs";
import { drainDelay } from "./drain.mjs";
import { GAVE_UP } from "./exit-codes.mjs";
import { failToListen, requireFree } from "./listen.mjs";
import { logConsoleAtStart, logError, logInfo } from "./log.mjs";
import { startOps } from "./ops/ops-server.mjs";
import { tellOfLog } from "./ops/requests.mjs";
import { Deaths, MAX_DEATHS } from "./restarts.mjs";

/** A worker that still runs after this is killed. It gives its requests ten seconds, so it no longer listens. */
const END_MS = 15_000 + drainDelay();

logConsoleAtStart();
const count = Number(process.env.WORKERS);
// All workers need the same secret: a request that one sends to the port may reach another.
process.env.CONSOLE_INNER_SECRET = randomBytes(24).toString("hex");
// Workers accept connections from the kernel themselves. A connection passed on by this process could be lost with a
// worker that dies, and its client would wait for ever.
cluster.schedulingPolicy = cluster.SCHED_NONE;
cluster.setupPrimary({ exec: fileURLToPath(new URL("./server.mjs", import.meta.url)) });

const listening = new Set();
const deaths = new Deaths();
let isAnnounced = false;
let isDraining = false;

const [wanted, hostname] = [Number(process.env.PORT ?? 3000), process.env.HOST || "127.0.0.1"];
const found = await requireFree(wanted, hostname).catch((error) => failToListen(error, wanted, hostname));
// Each worker has to know the port before it listens.
process.env.PORT = String(found);
tellOfLog();
await startOps();
for (let started = 0; started < count; started++) cluster.fork();

cluster.on("message", (worker, { port, error }) => {
  // Until all workers listen, an error ends the start and is reported to the parent, which may try again.
  if (error && !isAnnounced) end({ error });
  if (!port) return;
  listening.add(worker.id);
  if (isAnnounced || listening.size < count) return;
  isAnnounced = true;
  if (process.send) process.send({ port });
  else logInfo("listening", `${hostname}:${port}`);
});

cluster.on("exit", (worker, code, signal) => {
  listening.delete(worker.id);
  if (isDraining) {
    if (workers().length === 0) process.exit();
    return;
  }
  logError("worker died", `process ${worker.process.pid}: ${signal ?? `exit code ${code}`}`);
  if (!isAnnounced) return end({ error: "a worker ended before it listened" });
  if (deaths.isLast()) {
    logError("too many workers died", `${MAX_DEATHS} within a minute; none is started again`);
    return drain(GAVE_UP, "SIGINT");
  }
  cluster.fork();
});

process.on("SIGTERM", () => drain(0, "SIGTERM"));
for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => drain(0, "SIGINT"));
process.once("disconnect", () => drain(0, "SIGINT"));

/** Lets each worker drain as in `drain.mjs`. A second signal (Ctrl-C) ends the drain delay. */
function drain(/** @type {number} */ exitCode, /** @type {NodeJS.Signals} */ signal) {
  for (const worker of workers()) worker.process.kill(signal);
  if (isDraining) return;
  isDraining = true;
  process.exitCode = exitCode;
  if (workers().length === 0) process.exit();
  setTimeout(() => {
    for (const worker of workers()) worker.process.kill("SIGKILL");
  }, END_MS).unref();
}

function end(/** @type {{ error: string }} */ message) {
  if (process.send) return process.send(message, () => process.exit(1));
  tellRefusedStart(message.error);
  process.exit(1);
}

/** Those that run. Node lists one that is gone until its channel closes, which may be after its exit was told. */
function workers() {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => (worker && !worker.isDead() ? [worker] : []));
}
