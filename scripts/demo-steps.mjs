// Says on standard error what the demo does until it answers: on a terminal in one line that moves, else in plain lines.
// It is plain JavaScript without packages, because the first step installs them. A thread of its own moves the line,
// because the database starts within this process and keeps its thread busy for seconds.
import { writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/** The steps, in order. Those that have nothing to do are passed over; some run at the same time. */
const STEPS = /** @type {const} */ (["installing", "building", "opening the database", "making data", "starting"]);
/** @typedef {typeof STEPS[number]} Step */

/** In milliseconds: how often the line moves, and how often a plain line says what still goes on. */
const MOVES_EVERY = 500;
const SAID_EVERY = 4000;

/**
 * What both threads know: when each step that is under way began (epoch ms; else 0), and then the width of the terminal,
 * which is 0 elsewhere.
 * @type {Float64Array}
 */
const state = isMainThread ? new Float64Array(new SharedArrayBuffer(8 * (STEPS.length + 1))) : workerData;
const WIDTH = STEPS.length;

if (!isMainThread) setInterval(sayWhatGoesOn, isTerminal() ? MOVES_EVERY : SAID_EVERY);

/** @type {Worker | null} */
let thread = null;

if (isMainThread) process.once("exit", leaveSteps);

/**
 * Runs a step and says that it goes on, and how long it took.
 * @template Result
 * @param {Step} name
 * @param {() => Promise<Result>} task
 * @returns {Promise<Result>}
 */
export async function demoStep(name, task) {
  const step = STEPS.indexOf(name);
  const began = Date.now();
  // A terminal that does not know how wide it is counts as a usual one.
  state[WIDTH] = process.stderr.isTTY ? process.stderr.columns || 80 : 0;
  state[step] = began;
  if (isTerminal()) sayWhatGoesOn();
  else say(`${named(step)} …`);
  if (!thread) {
    thread = new Worker(new URL(import.meta.url), { workerData: state, execArgv: [] });
    thread.unref();
  }
  let outcome = "stopped";
  try {
    const result = await task();
    outcome = "done";
    return result;
  } finally {
    state[step] = 0;
    if (goingOn() === "") {
      void thread?.terminate();
      thread = null;
    }
    say(`${named(step)}: ${outcome} after ${seconds(began)}`);
  }
}

/**
 * Writes a line of its own, above the one that moves.
 * @param {string} line
 */
export function say(line) {
  write(isTerminal() ? `\r${line}\x1b[K\n` : `${line}\n`);
  if (isTerminal()) sayWhatGoesOn();
}

/** Leaves what is under way: the command ends, and what it says then begins a line. */
export function leaveSteps() {
  const isDrawn = isTerminal() && goingOn() !== "";
  state.fill(0, 0, WIDTH);
  if (isDrawn) write("\n");
}

function sayWhatGoesOn() {
  const line = goingOn();
  if (line === "") return;
  // A line that wraps could not be drawn over.
  write(isTerminal() ? `\r${line.slice(0, Number(state[WIDTH]) - 1)}\x1b[K` : `${line}\n`);
}

function goingOn() {
  return STEPS.flatMap((_, step) => (state[step] ? `${named(step)}, ${seconds(Number(state[step]))}` : [])).join("; ");
}

/** @param {number} step */
function named(step) {
  return `${step + 1} of ${STEPS.length}: ${STEPS[step]}`;
}

/** @param {number} began */
function seconds(began) {
  return `${Math.floor((Date.now() - began) / 1000)} s`;
}

function isTerminal() {
  return Number(state[WIDTH]) > 0;
}

/** @param {string} text */
function write(text) {
  try {
    writeSync(2, text);
  } catch {
    // Nobody reads, or not fast enough.
  }
}
