// `npm run demo` and `npm test` may be started side by side on a fresh clone, and both want to install and build.
import { tryClaim } from "../lib/process/pid-file.mjs";

const LOCK_FILE = ".data/setup.lock";
const RETRY_MS = 200;

/**
 * Runs `task` while no other process of this checkout does. Says when it has to wait.
 * @template Result
 * @param {() => Promise<Result>} task
 * @returns {Promise<Result>}
 */
export async function withSetupLock(task) {
  let lock = tryClaim(LOCK_FILE);
  if (!lock) console.error("Waiting for another command that is installing or building …");
  while (!lock) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    lock = tryClaim(LOCK_FILE);
  }
  try {
    return await task();
  } finally {
    lock.release();
  }
}
