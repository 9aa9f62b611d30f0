import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, type TestContext, vi } from "vitest";
import { Console } from "@/edge/console.mjs";
import { Haproxy } from "@/edge/haproxy.mjs";
import { haproxyConfig, socketPath } from "@/edge/haproxy-config.mjs";
import { Node } from "@/edge/node.mjs";
import { Store } from "@/edge/store.mjs";
import { Origin } from "./minecraft";
import { needsProgram } from "./unit-needs";

/** Answers a request with this body. */
export type Answer = (response: ServerResponse, body: string) => void;

/** Edge nodes by their parts in this process, each test with a folder of its own. */
export function edgeNodeParts() {
  const closers: (() => unknown)[] = [];
  const parts = { dir: "", said: "", closers, nftIs, listening, newNode, newOrigin, startHaproxy };

  beforeEach(() => {
    parts.dir = mkdtempSync(join(tmpdir(), "console-edge-"));
    parts.said = "";
    // The rules of this machine are left alone.
    nftIs("exit 1");
    vi.stubEnv("PATH", `${parts.dir}:${process.env.PATH}`);
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      parts.said += text;
      return true;
    });
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(parts.dir, { recursive: true, force: true });
  });

  function nftIs(script: string): void {
    writeFileSync(join(parts.dir, "nft"), `#!/bin/sh\n${script}\n`);
    chmodSync(join(parts.dir, "nft"), 0o755);
  }

  async function listening(server: Server, end: string | number): Promise<Server> {
    server.listen(end);
    await once(server, "listening");
    closers.push(() => void server.close());
    return server;
  }

  /** A second one is the first one started anew, once it has loaded what that one kept. */
  async function newNode(answer: Answer = (response) => response.end()): Promise<Node> {
    const server = createServer(async (request, response) => answer(response, await text(request)));
    const { port } = (await listening(server, 0)).address() as AddressInfo;
    closers.push(() => server.closeAllConnections());
    const node = new Node({
      haproxy: new Haproxy(parts.dir),
      console: new Console(`http://127.0.0.1:${port}`, "key", 25_565),
      store: new Store(parts.dir),
      allowPrivate: true,
      listenPort: 25_565,
    });
    closers.push(() => node.stop.abort());
    return node;
  }

  /** A game server to which each connection counts, those of pings too. */
  async function newOrigin(motd = "one"): Promise<{ origin: Origin; port: number }> {
    const origin = new Origin(motd, () => false);
    closers.push(() => origin.stop());
    return { origin, port: await origin.listen("127.0.0.1") };
  }

  /** HAProxy with the configuration of edge nodes. Players come in at `listen`. */
  async function startHaproxy(context: TestContext, listen: string, slots: number): Promise<{ stop(): Promise<void> }> {
    needsProgram(context, "haproxy");
    const limits = { rate: 1000, handshakes: 1000, connections: 1000 };
    const config = join(parts.dir, "haproxy.cfg");
    writeFileSync(join(parts.dir, "hosts.map"), "");
    writeFileSync(config, haproxyConfig({ listen, slots, runDir: parts.dir, ...limits }));
    rmSync(socketPath(parts.dir), { force: true });
    const haproxy = spawn("haproxy", ["-db", "-f", config], { stdio: "ignore" });
    const ended = once(haproxy, "exit");
    const stop = async () => {
      haproxy.kill();
      await ended;
    };
    closers.push(stop);
    await expect.poll(() => existsSync(socketPath(parts.dir))).toBe(true);
    return { stop };
  }

  return parts;
}
