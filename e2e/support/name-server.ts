import { createSocket } from "node:dgram";
import { once } from "node:events";

/** What a name server says of a name. "silent": nothing at all. */
export type NameAnswer = string[] | "NXDOMAIN" | "SERVFAIL" | "silent";

const TYPE_A = 1;
const TYPE_AAAA = 28;
const CODES = { NXDOMAIN: 3, SERVFAIL: 2 };

/** A DNS server. What it says can be changed at any time; other names are not found. IPv6 is written in full. */
export class NameServer {
  readonly #socket = createSocket("udp4");
  readonly answers = new Map<string, NameAnswer>();

  /** Listens on a free port and answers it. */
  async listen(ip: string): Promise<number> {
    this.#socket.on("message", (question, { port, address }) => {
      const answer = this.#answer(question);
      if (answer) this.#socket.send(answer, port, address);
    });
    this.#socket.bind(0, ip);
    await once(this.#socket, "listening");
    return this.#socket.address().port;
  }

  #answer(question: Buffer): Buffer | null {
    const labels: string[] = [];
    let at = 12;
    for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
      labels.push(question.toString("latin1", at + 1, at + 1 + length));
      at += length + 1;
    }
    const said = this.answers.get(labels.join(".").toLowerCase()) ?? "NXDOMAIN";
    if (said === "silent") return null;
    const type = question.readUInt16BE(at + 1);
    const ips = typeof said === "string" ? [] : said.filter((ip) => type === (ip.includes(":") ? TYPE_AAAA : TYPE_A));
    const head = Buffer.from(question.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (typeof said === "string" ? CODES[said] : 0), 2);
    head.writeUInt16BE(ips.length, 6);
    head.writeUInt32BE(0, 8);
    const records = ips.map((ip) => {
      const bytes = ip.includes(":")
        ? Buffer.from(
            ip
              .split(":")
              .map((group) => group.padStart(4, "0"))
              .join(""),
            "hex",
          )
        : Buffer.from(ip.split(".").map(Number));
      return Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length]), bytes]);
    });
    return Buffer.concat([head, question.subarray(12, at + 5), ...records]);
  }

  close(): void {
    this.#socket.close();
  }
}
