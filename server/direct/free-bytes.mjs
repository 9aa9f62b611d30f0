import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** More than this within this time is a flood; it is over when no more than that comes within that time. */
const FLOOD = { bytes: 256 * 2 ** 20, ms: 60_000 };
const CALM = { bytes: 2 ** 20, ms: 5_000 };
/** V8 gives the memory of a collection back in the next ones. */
const COLLECTIONS = 3;

/** `ArrayBuffer.prototype.transfer`. Node 20 has it in contexts that are made behind a flag. */
const transfer =
  Reflect.get(ArrayBuffer.prototype, "transfer") ??
  behindFlag("--harmony-rab-gsab-transfer", "ArrayBuffer.prototype.transfer");

/**
 * @param {string} flag
 * @param {string} name
 */
function behindFlag(flag, name) {
  setFlagsFromString(flag);
  return runInNewContext(name);
}

let freed = 0;
let since = 0;
let isWaiting = false;

/**
 * Frees the memory of bytes that nobody needs any more. The garbage collector leaves bytes that lie outside of its heap for
 * minutes: up to 64 KB for each connection that sends a body. Does nothing to bytes that share their memory with others.
 * @param {Uint8Array} bytes empty afterwards
 */
export function freeBytes({ buffer, byteLength }) {
  if (byteLength === buffer.byteLength) Reflect.apply(transfer, buffer, [0]);
  const now = performance.now();
  if (!isWaiting && now - since > FLOOD.ms) [freed, since] = [0, now];
  freed += byteLength;
  if (freed > FLOOD.bytes && !isWaiting) collectWhenCalm();
}

/** After a flood the heap is as large as it was in it, until calm traffic has filled it, which takes many minutes. */
function collectWhenCalm() {
  isWaiting = true;
  let before = freed;
  let collections = 0;
  const timer = setInterval(() => {
    const isCalm = freed - before < CALM.bytes;
    before = freed;
    if (!isCalm) return;
    behindFlag("--expose-gc", "gc")();
    if (++collections < COLLECTIONS) return;
    clearInterval(timer);
    [freed, isWaiting] = [0, false];
  }, CALM.ms).unref();
}
