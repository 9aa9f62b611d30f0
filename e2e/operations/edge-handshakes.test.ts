import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { edgeNodeParts } from "@/e2e/support/edge-node";
import { freePort } from "@/e2e/support/free-port";
import { handshake } from "@/e2e/support/minecraft";
import { Haproxy } from "@/edge/haproxy.mjs";
import { readHandshake } from "@/edge/minecraft.mjs";

// Handshakes as real clients and real networks bring them, through HAProxy with the configuration of edge nodes.

const here = edgeNodeParts();
const NAME = "play.example.com";
/** Its handshake begins like the ping of clients of before 2013. */
const LONGEST = `${"a".repeat(60)}.`.repeat(4) + "b".repeat(9);

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
  // The origin says how many bytes of the handshake it got, once it has them all.
  const origin = createServer((socket) => {
    let all = Buffer.alloc(0);
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      all = Buffer.concat([all, chunk]);
      if ([1, 2].includes(all.at(-1) ?? 0)) socket.end(`got ${all.length}`);
    });
  });
  await here.listening(origin, 0);
  const port = await freePort();
  await here.startHaproxy(context, `127.0.0.1:${port}`, 1);
  const haproxy = new Haproxy(here.dir);
  const end = { ip: "127.0.0.1", port: (origin.address() as AddressInfo).port, range: null };
  await haproxy.add(1, "o1", end);
  for (const hostname of [NAME, LONGEST]) await haproxy.lead(hostname, "slot_1");

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
  for (const hostname of [...SPELLED, LONGEST, `${LONGEST}.`]) {
    for (const protocol of [47, 765, -1]) {
      for (const next of [1, 2]) {
        const bytes = handshake(hostname, next, protocol);
        expect(await answer(bytes, []), `${hostname} ${protocol} ${next}`).toBe(`got ${bytes.length}`);
      }
    }
  }
  for (const hostname of OTHERS) expect(await answer(handshake(hostname), []), hostname).toBe("");
  for (const length of [20, 127, 128, 200, 255, 256, 300, 383, 384, 385, 500, 512, 640, 900, 1023, 1024, 2000, 4000]) {
    const bytes = handshake(`${NAME}\0${"x".repeat(Math.max(0, length - NAME.length - 9))}`);
    for (const sizes of [[bytes.length - 1], [1, 1], [10, 200], [3, 100, 100]]) {
      expect(await answer(bytes, sizes), `${bytes.length} bytes after ${sizes}`).toBe(`got ${bytes.length}`);
    }
  }
});
