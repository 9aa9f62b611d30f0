import { chmodSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { ANSWER_TIME, MAX_ASKERS, MAX_REQUEST } from "./limits.mjs";
import { log, messageOf, PlainError } from "./log.mjs";
import { oldKick, readHandshake, textPacket } from "./minecraft.mjs";

/** @import { Asked } from "./minecraft.mjs" */

/** Answers the clients that HAProxy sends to this program, on a socket of this machine. */
export class Responder {
  #server;

  /**
   * @param {string} path
   * @param {(asked: Asked | null) => string} answer the JSON of a status, or the text of a kick; null asks for the text of
   *   the old ping
   */
  constructor(path, answer) {
    this.path = path;
    this.answer = answer;
    this.#server = createServer({ allowHalfOpen: false }, (socket) => this.#serve(socket));
    this.#server.maxConnections = MAX_ASKERS;
  }

  /** @returns {Promise<void>} */
  listen() {
    rmSync(this.path, { force: true });
    return new Promise((resolve, reject) => {
      this.#server.once("error", (error) => reject(new PlainError(`${this.path} cannot be made: ${error.message}`)));
      this.#server.listen(this.path, () => {
        // HAProxy may run as another user.
        chmodSync(this.path, 0o666);
        this.#server.on("error", (error) => log(messageOf(error)));
        resolve();
      });
    });
  }

  close() {
    this.#server.close();
    rmSync(this.path, { force: true });
  }

  /** @param {import("node:net").Socket} socket */
  #serve(socket) {
    let seen = Buffer.alloc(0);
    /** @type {(Asked & { length: number }) | null} */
    let asked = null;
    let isAnswered = false;
    let isOver = false;
    const timer = setTimeout(() => socket.destroy(), ANSWER_TIME);
    socket.on("close", () => clearTimeout(timer));
    socket.on("error", () => {});
    const end = (/** @type {Buffer} */ bytes) => {
      isOver = true;
      socket.end(bytes);
    };
    socket.on("data", (chunk) => {
      // What comes after the last answer is read all the same: a socket with unread bytes would lose the answer.
      if (isOver) return;
      seen = Buffer.concat([seen, chunk]);
      if (seen.length > MAX_REQUEST) return void socket.destroy();
      if (!asked) {
        const read = readHandshake(seen);
        if (read === undefined) return;
        if (read === null) return void socket.destroy();
        if (read === "old ping") return end(oldKick(this.answer(null)));
        asked = read;
        if (!asked.isPing) return end(textPacket(0, JSON.stringify({ text: this.answer(asked) })));
        seen = seen.subarray(asked.length);
      }
      // The request, an empty packet, and then a ping that is sent back as it came.
      if (!isAnswered && seen.length >= 2) {
        if (seen[0] !== 1 || seen[1] !== 0) return void socket.destroy();
        isAnswered = true;
        seen = seen.subarray(2);
        socket.write(textPacket(0, this.answer(asked)));
      }
      if (isAnswered && seen.length >= 10) end(seen.subarray(0, 10));
    });
  }
}
