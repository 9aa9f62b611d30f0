import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { needsProgram } from "@/e2e/support/unit-needs";
import { haproxyConfig, socketPath } from "@/edge/haproxy-config.mjs";
import { packet, readHandshake, varint } from "@/edge/minecraft.mjs";

// Handshakes as real clients and real networks bring them, through HAProxy with the configuration of edge nodes.

const NAME = "play.example.com";

function handshake(hostname: string, next = 2): Buffer {
  const name = Buffer.from(hostname, "latin1");
  return packet(Buffer.from([0]), varint(765), varint(name.length), name, Buffer.from([0x63, 0xdd, next]));
}

/** Hostnames that stand for the name, and some that do not. */
const SPELLED = [
  NAME,
  "Play.Example.COM.",
  `${NAME}\0FML\0`,
  `${NAME}.\0FML3\0`,
  `_dc-srv.6a8b2f1d3c4e._minecraft._tcp.${NAME}`,
  `_dc-srv.6A8B2F1D3C4E.${NAME}.`,
  `_DC-SRV.0f.${NAME}\0FML2\0`,
];
const OTHERS = [`_dc-srv.${NAME}`, `x._dc-srv.6a.${NAME}`, `_dc-srv.6a._minecraft._udp.${NAME}`, `_dc-srv.xyz.${NAME}`];

test("an edge node reads hostnames as Cloudflare's SRV targets and modded clients spell them", () => {
  const nameOf = (hostname: string) => {
    const asked = readHandshake(handshake(hostname));
    return asked && typeof asked === "object" ? asked.hostname : asked;
  };
  for (const hostname of SPELLED) expect(nameOf(hostname), hostname).toBe(NAME);
  for (const hostname of OTHERS) expect(nameOf(hostname), hostname).not.toBe(NAME);
});

test("HAProxy routes every spelling of a hostname, however long or split the handshake", async (context) => {
  needsProgram(context, "haproxy");
  const runDir = mkdtempSync(join(tmpdir(), "console-edge-"));
  const closers: (() => void)[] = [() => rmSync(runDir, { recursive: true, force: true })];
  try {
    // The origin says how many bytes of the handshake it got, once it has them all.
    const origin = createServer((socket) => {
      let all = Buffer.alloc(0);
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        all = Buffer.concat([all, chunk]);
        if (all.at(-1) === 2) socket.end(`got ${all.length}`);
      });
    }).listen(0, "127.0.0.1");
    await once(origin, "listening");
    closers.push(() => origin.close());
    const free = createServer().listen(0, "127.0.0.1");
    await once(free, "listening");
    const { port } = free.address() as AddressInfo;
    free.close();
    await once(free, "close");
    const limits = { slots: 1, rate: 1000, handshakes: 1000, connections: 1000 };
    writeFileSync(join(runDir, "hosts.map"), "");
    const config = join(runDir, "haproxy.cfg");
    writeFileSync(config, haproxyConfig({ listen: `127.0.0.1:${port}`, runDir, ...limits }));
    const haproxy = spawn("haproxy", ["-db", "-f", config], { stdio: "ignore" });
    closers.push(() => haproxy.kill());
    await expect.poll(() => existsSync(socketPath(runDir))).toBe(true);
    const ask = (command: string) => {
      const socket = connect(socketPath(runDir));
      socket.write(`${command}\n`);
      return text(socket);
    };
    await ask(`add server slot_1/o1 127.0.0.1:${(origin.address() as AddressInfo).port}`);
    await ask("set server slot_1/o1 state ready");
    await ask(`add map ${join(runDir, "hosts.map")} ${NAME} slot_1`);

    const answer = async (bytes: Buffer, sizes: readonly number[]) => {
      const socket = connect(port, "127.0.0.1").setNoDelay(true);
      const heard = text(socket).catch(() => "");
      await once(socket, "connect");
      let at = 0;
      for (const size of sizes) {
        socket.write(bytes.subarray(at, at + size));
        at += size;
        // So that it is a segment of its own.
        await new Promise((resolve) => setTimeout(resolve, 30));
      }
      if (at < bytes.length) socket.write(bytes.subarray(at));
      return heard;
    };
    for (const hostname of SPELLED) {
      const bytes = handshake(hostname);
      expect(await answer(bytes, []), hostname).toBe(`got ${bytes.length}`);
    }
    for (const hostname of OTHERS) expect(await answer(handshake(hostname), []), hostname).toBe("");
    for (const length of [
      20, 127, 128, 200, 255, 256, 300, 383, 384, 385, 500, 512, 640, 900, 1023, 1024, 2000, 4000,
    ]) {
      const bytes = handshake(`${NAME}\0${"x".repeat(Math.max(0, length - NAME.length - 9))}`);
      for (const sizes of [[bytes.length - 1], [1, 1], [10, 200], [3, 100, 100]]) {
        expect(await answer(bytes, sizes), `${bytes.length} bytes after ${sizes}`).toBe(`got ${bytes.length}`);
      }
    }
  } finally {
    for (const close of closers.reverse()) close();
  }
});
