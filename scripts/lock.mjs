// One process at a time: `npm run demo` and `npm test` may be started side by side on a fresh clone, and both want to
// install and build.
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const LOCK_FILE = ".data/setup.lock";
const RETRY_MS = 200;
const EMPTY_FOR_MS = 5000;

/**
 * Runs `task` while no other process of this checkout does. A lock whose owner has died counts as free.
 * @template Result
 * @param {() => Result} task
 * @returns {Result}
 */
export function withSetupLock(task) {
  mkdirSync(dirname(LOCK_FILE), { recursive: true });
  for (let isWaiting = false; !tryLock(); isWaiting = true) {
    if (!isWaiting) process.stderr.write("Waiting for another command that is installing or building …\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }
  process.once("exit", unlock);
  try {
    return task();
  } finally {
    process.off("exit", unlock);
    unlock();
  }
}

function tryLock() {
  try {
    writeFileSync(LOCK_FILE, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (isAbandoned()) unlock();
    return false;
  }
}

function isAbandoned() {
  try {
    const owner = Number(readFileSync(LOCK_FILE, "utf8"));
    // Empty for the instant between creating and writing, and for ever after a crash in that instant.
    if (owner === 0) return Date.now() - statSync(LOCK_FILE).mtimeMs > EMPTY_FOR_MS;
    return owner === process.pid || !isAlive(owner);
  } catch {
    return false;
  }
}

/** Whether there is a process of this number, somebody else's included. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function unlock() {
  rmSync(LOCK_FILE, { force: true });
}
