// `npm run demo` and `npm test` may be started side by side on a fresh clone, and both want to install and build.
import { tryClaim } from "../lib/process/pid-file.mjs";

const LOCK_FILE = ".data/setup.lock";
const RETRY_MS = 200;

/**
 * Runs `task` while no other process of this checkout does. It blocks until it has the lock.
 * @template Result
 * @param {() => Promise<Result>} task
 * @returns {Promise<Result>}
 */
export async function withSetupLock(task) {
  let lock = tryClaim(LOCK_FILE);
  if (!lock) process.stderr.write("Waiting for another command that is installing or building …\n");
  while (!lock) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    lock = tryClaim(LOCK_FILE);
  }
  try {
    return await task();
  } finally {
    lock.release();
  }
}
