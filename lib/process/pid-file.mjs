// A lock file owned by one process. It is plain JavaScript without packages, because the first command on a fresh clone
// takes a lock before anything is installed. Node offers no lock of the operating system (nodejs/node#122), which would
// end with its process.
import { randomUUID } from "node:crypto";
import { constants, copyFileSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * @typedef {{ id: string, pid: number, started: string | null, note: string }} Claim
 * `id` is unique. `started` is when the process began, if the system tells, because process numbers are reused.
 * `note`: whatever the owner has to say.
 */

/**
 * Takes the file for this process, until `release` or the end of the process; null when a living process has it.
 * @param {string} file
 * @param {(claim: Claim) => boolean} [isStale] whether a claim that is there counts no more
 * @returns {{ note(text: string): void, release(): void } | null}
 */
export function tryClaim(file, isStale = isAbandoned) {
  mkdirSync(dirname(file), { recursive: true });
  /** @type {Claim} */
  const own = { id: randomUUID(), pid: process.pid, started: startOf(process.pid), note: "" };
  if (!create(file, own) && !replaceStale(file, own, isStale)) return null;
  const release = () => {
    process.off("exit", release);
    if (readClaim(file)?.id === own.id) rmSync(file, { force: true });
  };
  process.once("exit", release);
  return { note: (text) => writeWhole(file, { ...own, note: text }), release };
}

/**
 * The claim that the file holds, or null when there is none.
 * @param {string} file
 * @returns {Claim | null}
 */
export function readClaim(file) {
  try {
    return parseClaim(readFileSync(file, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Whether the process that made the claim has ended, even if another process has its number now.
 * @param {Claim} claim
 */
export function isAbandoned({ pid, started }) {
  if (!isAlive(pid)) return true;
  // Without a start time: in a restarted container, this process may have the number of the previous owner.
  return started === null ? pid === process.pid : startOf(pid) !== started;
}

/**
 * Replaces a stale claim. Several processes may find it stale at once, so a second lock, named after the stale claim,
 * lets only one of them replace it. A claim that was made meanwhile has another id and stays.
 * @param {string} file
 * @param {Claim} own
 * @param {(claim: Claim) => boolean} isStale
 * @returns {boolean}
 */
function replaceStale(file, own, isStale) {
  const found = readClaim(file);
  // The owner released it after `create` failed.
  if (found === null) return create(file, own);
  if (!isStale(found)) return false;
  const right = tryClaim(`${file}.${found.id}`);
  if (!right) return false;
  try {
    if (readClaim(file)?.id !== found.id) return false;
    writeWhole(file, own);
    return true;
  } finally {
    right.release();
  }
}

/**
 * Writes a temporary file and links it, so that no process reads a half-written claim.
 * @param {string} file
 * @param {Claim} claim
 */
function create(file, claim) {
  const draft = `${file}.${claim.id}.draft`;
  writeFileSync(draft, JSON.stringify(claim));
  try {
    try {
      linkSync(draft, file);
    } catch (error) {
      // Some shared folders know no links.
      if (codeOf(error) === "EEXIST") return false;
      copyFileSync(draft, file, constants.COPYFILE_EXCL);
    }
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * @param {string} file
 * @param {Claim} claim
 */
function writeWhole(file, claim) {
  const draft = `${file}.${claim.id}.draft`;
  writeFileSync(draft, JSON.stringify(claim));
  renameSync(draft, file);
}

/**
 * @param {string} text
 * @returns {Claim}
 */
function parseClaim(text) {
  try {
    const { id, pid, started = null, note = "" } = JSON.parse(text);
    if (typeof id === "string" && /^[\w-]+$/.test(id) && Number.isInteger(pid)) return { id, pid, started, note };
  } catch {
    // Not valid JSON: an older version wrote it, or the disk was full.
  }
  return { id: "unreadable", pid: 0, started: null, note: "" };
}

/**
 * Whether there is a process of this number, somebody else's included.
 * @param {number} pid
 */
function isAlive(pid) {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/**
 * When the process began, in the system's own unit; null where the system does not tell.
 * @param {number} pid
 */
function startOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; the start is the 20th field after it.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
