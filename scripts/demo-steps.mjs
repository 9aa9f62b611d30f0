// Says on standard error what the demo does until it answers. It is plain JavaScript without packages, because the first
// step installs them.

/** The steps, in order. Those that have nothing to do are passed over; some run at the same time. */
const STEPS = /** @type {const} */ (["installing", "building", "opening the database", "making data", "starting"]);

/**
 * Runs a step and says when it begins, and how long it took.
 * @template Result
 * @param {typeof STEPS[number]} name
 * @param {() => Promise<Result>} task
 * @returns {Promise<Result>}
 */
export async function demoStep(name, task) {
  const step = `${STEPS.indexOf(name) + 1} of ${STEPS.length}: ${name}`;
  const began = performance.now();
  let outcome = "stopped";
  console.error(`${step} …`);
  try {
    const result = await task();
    outcome = "done";
    return result;
  } finally {
    console.error(`${step}: ${outcome} after ${Math.floor((performance.now() - began) / 1000)} s`);
  }
}
