import { createServer } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EdgeHost, isPing } from "@/e2e/support/edge-host";
import { listen } from "@/e2e/support/listen";
import { askStatus, Origin } from "@/e2e/support/minecraft";
import { needsProgram } from "@/e2e/support/unit-needs";
import type { Service } from "@/edge/configuration.mjs";
import type { Interval } from "@/edge/intervals.mjs";
import { mintToken } from "@/lib/tokens/format";

// The program of edge nodes with HAProxy and nftables, and a server in the console's place.

let host: EdgeHost;
const closers: (() => void)[] = [];

beforeEach((context) => {
  for (const name of ["namespaces", "haproxy", "nft"] as const) needsProgram(context, name);
  host = new EdgeHost("edge/main.mjs");
});
afterEach(async () => {
  for (const close of closers.splice(0)) close();
  await host?.remove();
});

/** What the node is to serve, and what it has reported. */
async function startConsole() {
  let [revision, services] = [1, [] as Service[]];
  const intervals: Interval[] = [];
  const errors = new Map<number, string | null>();
  const server = createServer((incoming, outgoing) => {
    let text = "";
    incoming.on("data", (chunk) => (text += chunk));
    incoming.on("end", () => {
      if (incoming.url?.endsWith("/reports")) {
        const report = JSON.parse(text);
        intervals.push(...(report.intervals ?? []));
        for (const { service_id, error } of report.acknowledgements) errors.set(service_id, error);
        return outgoing.end('{"data":{"stored":1}}');
      }
      const isKnown = incoming.headers["if-none-match"] === `"${revision}"`;
      // One that waits is answered after a moment.
      setTimeout(
        () => {
          outgoing.writeHead(isKnown ? 304 : 200, { ETag: `"${revision}"` });
          outgoing.end(isKnown ? "" : JSON.stringify({ data: { revision: String(revision), services } }));
        },
        isKnown ? 200 : 0,
      );
    });
  });
  const url = `http://${host.outside}:${await listen(server, host.outside)}`;
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const serve = (changed: typeof services) => {
    services = changed;
    revision++;
  };
  return { url, serve, intervals, errors };
}

const service = (id: number, name: string, port: number, enabled = true): Service => ({
  id,
  version: 1,
  java_hostname: name,
  origin_host: host.outside,
  origin_port: port,
  enabled,
});

async function newOrigin(): Promise<{ origin: Origin; port: number }> {
  const origin = new Origin("one", isPing);
  const port = await origin.listen(host.outside);
  closers.push(() => void origin.stop());
  return { origin, port };
}

test("flushed nftables rules come back, and services and counting go on meanwhile", async () => {
  const console = await startConsole();
  const { origin, port } = await newOrigin();
  console.serve([service(1, "one.example.test", port)]);
  await host.startHaproxy();
  host.startEdge(console.url, mintToken("edgeKey"));
  await expect.poll(() => host.ledHostnames()).toEqual(["one.example.test"]);
  expect(await askStatus(host.ip, 25_565, "one.example.test")).toBe("one");
  host.flushRules();
  console.serve([service(1, "one.example.test", port, false)]);
  // An empty map is an empty line.
  await expect.poll(() => host.ledHostnames()).toEqual([""]);
  console.serve([service(1, "one.example.test", port)]);
  await expect.poll(() => host.ledHostnames()).toEqual(["one.example.test"]);
  host.flushRules();
  await host.endMinute();
  const before = console.intervals.reduce((sum, { packets }) => sum + packets, 0);
  for (let n = 0; n < 4; n++) expect(await askStatus(host.ip, 25_565, "one.example.test")).toBe("one");
  await host.endMinute();
  const sumOf = (name: "packets" | "connections") => console.intervals.reduce((sum, each) => sum + each[name], 0);
  await expect.poll(() => sumOf("connections")).toBe(origin.connections);
  expect(sumOf("packets") - before).toBeGreaterThanOrEqual(16);
  expect(host.output.match(/ nft failed/g)?.length ?? 0).toBeLessThanOrEqual(2);
});

test("an edge node that is not told to allow private origins serves none", async () => {
  const console = await startConsole();
  const { port } = await newOrigin();
  console.serve([service(1, "one.example.test", port)]);
  await host.startHaproxy();
  host.startEdge(console.url, mintToken("edgeKey"), { isPublic: true });
  await expect.poll(() => console.errors.get(1)).toMatch(/is a private ip, which this node does not serve/);
  expect(await host.ledHostnames()).toEqual([""]);
});
