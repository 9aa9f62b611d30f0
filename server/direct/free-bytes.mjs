import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** `ArrayBuffer.prototype.transfer`. Node 20 has it in contexts that are made behind a flag. */
const transfer = Reflect.get(ArrayBuffer.prototype, "transfer") ?? findInNewContext();

function findInNewContext() {
  setFlagsFromString("--harmony-rab-gsab-transfer");
  return runInNewContext("ArrayBuffer.prototype.transfer");
}

/**
 * Frees the memory of bytes that nobody needs any more. The garbage collector leaves bytes that lie outside of its heap for
 * minutes: up to 64 KB for each connection that sends a body. Does nothing to bytes that share their memory with others.
 * @param {Uint8Array} bytes empty afterwards
 */
export function freeBytes({ buffer, byteLength }) {
  if (byteLength === buffer.byteLength) Reflect.apply(transfer, buffer, [0]);
}
