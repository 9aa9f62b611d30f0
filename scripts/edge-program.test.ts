import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packet, text } from "@/e2e/support/minecraft";
import { tempFolder } from "@/e2e/support/temp-folder";
import { canonicalIp, SPECIAL_RANGES as EDGE_RANGES, isHostname, isPrivate } from "@/edge/ips.mjs";
import { readStatus } from "@/edge/minecraft.mjs";
import { awayStatus, Statuses } from "@/edge/statuses.mjs";
import { isPrivateOrigin } from "@/lib/game-services/origins";
import { isPublicIp } from "@/lib/http/public-ip";
import { DOCUMENTATION_RANGES, SPECIAL_RANGES } from "@/lib/http/special-ranges";
import { bundleEdgeProgram } from "./edge-program";

// Edges of the ranges, and what lies beside them.
const IPS =
  "0.255.255.255 1.0.0.0 9.255.255.255 10.0.0.0 11.0.0.0 100.63.255.255 100.64.0.0 100.128.0.0 126.255.255.255 127.0.0.1 128.0.0.0 " +
  "169.253.255.255 169.254.0.0 169.255.0.0 172.15.255.255 172.16.0.0 172.32.0.0 192.167.255.255 192.168.0.0 192.169.0.0 " +
  "223.255.255.255 224.0.0.0 240.0.0.0 255.255.255.255 :: ::1 ::2 ::ffff:10.0.0.1 ::ffff:8.8.8.8 64:ff9b::1 64:ff9b:1::1 64:ff9b:2::1 " +
  "2001:db8::1 2002::1 2003::1 fbff::1 fc00:: fdff::1 fe00::1 fe7f::1 fe80::1 febf::1 fec0::1 feff::1 ff00::1";

/** The first and the last ip of a range that were taken as origins before. */
const RANGE_ENDS = [
  ["192.0.0.0", "192.0.0.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["::2", "::ffff:ffff"],
  ["::ffff:0:a00:1", "::ffff:0:ffff:ffff"],
  ["100::", "100::ffff:ffff:ffff:ffff"],
  ["2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["2001:1::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
].flat();

const folder = mkdtempSync(join(tmpdir(), "console-edge-program-"));
const PROGRAM = join(folder, "edge.mjs");
beforeAll(async () => writeFileSync(PROGRAM, await bundleEdgeProgram()));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) =>
  spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8", maxBuffer: 2 ** 26 });

/** Lines that are comment alone. */
const commentsOf = (text: string) => text.split("\n").filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line));

test("the edge nodes' program is one commented file that needs only Node", () => {
  const text = readFileSync(PROGRAM, "utf8");
  const from = [...text.matchAll(/^import .*?(?:from )?"(.+)";$/gm)].map(([, name = ""]) => name);
  expect(from.filter((name) => !isBuiltin(name))).toEqual([]);
  const head = /^(?:(?:#!|\/\/).*\n)+/.exec(readFileSync("edge/main.mjs", "utf8"))?.[0];
  expect(text.startsWith(`${head}`)).toBe(true);
  const modules = readdirSync("edge").map((name) => readFileSync(join("edge", name), "utf8"));
  expect(commentsOf(text).length).toBeGreaterThan(0.9 * modules.flatMap(commentsOf).length);
});

test("no ip of a special range is an origin, in console and edge alike", () => {
  expect(EDGE_RANGES).toEqual(SPECIAL_RANGES);
  for (const range of SPECIAL_RANGES) {
    const [first = ""] = range.split("/");
    expect([isPrivateOrigin(first), isPrivate(first), isPublicIp(first)], range).toEqual([true, true, false]);
  }
  for (const ip of RANGE_ENDS) {
    expect([isPrivateOrigin(ip), isPrivate(ip), isPublicIp(ip)], ip).toEqual([true, true, false]);
  }
  for (const ip of ["192.0.1.0", "198.17.255.255", "198.20.0.0", "100:0:0:1::", "2001:200::", "5eff::1", "5f01::"]) {
    expect([isPrivateOrigin(ip), isPrivate(ip), isPublicIp(ip)], ip).toEqual([false, false, true]);
  }
});

test("documentation ranges are origins, though nobody is reached there", () => {
  for (const range of DOCUMENTATION_RANGES) {
    const [first = ""] = range.split("/");
    expect([isPrivateOrigin(first), isPrivate(first), isPublicIp(first)], range).toEqual([false, false, false]);
  }
});

test("an origin's ping answer is read in parts, and bad ones are refused", () => {
  const answer = (json: string, id = 0) => packet(id, text(json));
  const status = JSON.stringify({ description: '"\u00a7a\u{1f600}\0', players: { online: 3 } });
  const whole = answer(status);
  for (let end = 0; end < whole.length; end++) expect(readStatus(whole.subarray(0, end)), `${end}`).toBeUndefined();
  expect(readStatus(whole)).toBe(status);
  expect(readStatus(Buffer.concat([whole, Buffer.from("more")]))).toBe(status);
  for (const json of ["", "{", "null", "[]", '"text"', "1"]) expect(readStatus(answer(json)), json).toBeNull();
  expect(readStatus(answer(status, 1))).toBeNull();
  // Refused by its first bytes.
  expect(readStatus(answer(`{"a":"${"a".repeat(2 ** 20)}"}`).subarray(0, 7))).toBeNull();
  expect(readStatus(Buffer.alloc(10, 0xff))).toBeNull();
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => readStatus(Buffer.from(bytes)) !== status));
});

test("owner and origin texts stay JSON values in the answer for an unavailable origin", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('"},"x":{"', "\u00a7a", "\u{1f600}", "\0", "\\", "\u2028"),
  );
  fc.assert(
    fc.property(fc.array(hostile, { minLength: 1 }), fc.jsonValue(), fc.jsonValue(), (parts, description, players) => {
      const text = parts.join("");
      const last = JSON.stringify({ description, players, favicon: text, more: 1 });
      const answer = JSON.parse(awayStatus(last, text));
      expect(Object.keys(answer).sort()).toEqual(["description", "favicon", "players", "version"]);
      expect(answer).toMatchObject({
        version: { name: "Offline", protocol: -1 },
        players: { online: 0 },
        favicon: text,
      });
      expect(answer.description).toEqual(text ? { text } : JSON.parse(last).description);
      expect(Number.isInteger(answer.players.max)).toBe(true);
    }),
  );
});

test("an origin's kept answers are limited to eight protocol versions and 64 KB", () => {
  const statuses = new Statuses([]);
  const any = -1;
  const text = (bytes: number) => JSON.stringify("a".repeat(bytes - 2));
  const known = () => Array.from({ length: 20 }, (_, protocol) => protocol).filter((one) => statuses.knows(1, one));
  statuses.keep(1, any, text(100));
  for (let protocol = 0; protocol < 7; protocol++) statuses.keep(1, protocol, text(100 + protocol));
  expect(known()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(statuses.find(1, 0)).toBe(text(100));
  statuses.keep(1, 7, text(107));
  statuses.keep(1, 8, text(108));
  expect(known()).toEqual([0, 3, 4, 5, 6, 7, 8]);
  expect(statuses.find(1, 1)).toBe(text(100));
  // One that is long takes the room of several, and one that is too long takes none.
  statuses.keep(1, 9, text(64 * 1024 - 100 - 108 - 107));
  expect(known()).toEqual([7, 8, 9]);
  statuses.keep(1, 10, text(64 * 1024));
  expect(known()).toEqual([7, 8, 9]);
  expect(statuses.find(1, 10)).toBe(text(100));
  // Over a restart, and for the services that there are.
  statuses.keep(2, any, text(50));
  const again = new Statuses(JSON.parse(JSON.stringify(statuses)));
  expect([again.find(1, any), again.find(2, 5)]).toEqual([text(100), text(50)]);
  again.keepOnly(new Set([2]));
  expect([again.find(1, any), again.find(2, any)]).toEqual([null, text(50)]);
  // All services together: 64 MB, a thousand of them with 64 KB. Where there is no room the last ones stay.
  for (let service = 3; service < 1100; service++) again.keep(service, any, text(64 * 1024));
  expect(Array.from({ length: 1100 }, (_, service) => service).filter((service) => again.has(service))).toHaveLength(
    1024,
  );
  again.keep(2000, any, text(1024));
  again.keep(2, any, text(51));
  again.keep(2, any, text(64 * 1024));
  expect(again.find(2, any)).toBe(text(51));
});

test("an edge node refuses the ips that the console refuses, and no others", () => {
  for (const ip of IPS.split(" ")) expect(isPrivate(ip), ip).toBe(isPrivateOrigin(ip));
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => isPrivate(ip) === isPrivateOrigin(ip)),
    { numRuns: 20_000 },
  );
});

test("an ip has one spelling, so an origin cannot hide whose it is", () => {
  for (const [text, canonical] of [
    ["192.0.2.80", "192.0.2.80"],
    ["::ffff:192.0.2.80", "192.0.2.80"],
    ["0:0:0:0:0:FFFF:c000:250", "192.0.2.80"],
    ["2001:DB8:0::0:1", "2001:db8::1"],
    ["::ffff:0:0", "0.0.0.0"],
    ["fe80::1%eth0", null],
    ["[::1]", null],
    ["127.1", null],
    ["0177.0.0.1", null],
    ["1.2.3.4 port 1", null],
    ["a.example", null],
    ["", null],
  ]) {
    expect(canonicalIp(text ?? ""), String(text)).toBe(canonical);
  }
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (ip) => {
      const once = canonicalIp(ip) ?? "";
      return canonicalIp(once) === once && isPrivate(once) === isPrivate(ip);
    }),
  );
});

test("no accepted hostname or ip can be more than one word of a command", () => {
  const hostile = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(..."\0\n\r\t ;#<>|&$`'\"\\/%*?[]{}()@,:+=~!^"),
    fc.domain(),
    fc.ipV6(),
  );
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 5 }), (parts) => {
      const text = parts.join("");
      expect(!isHostname(text) || /^[a-z0-9._-]{1,253}$/.test(text)).toBe(true);
      expect(canonicalIp(text) ?? "::").toMatch(/^[0-9a-f:.]{2,45}$/);
    }),
    { numRuns: 20_000 },
  );
});

test("the systemd unit comes from the program, and values of several words are refused", () => {
  const { stdout, status } = run("unit", "https://console.example.com", "--listen", "[::]:25565");
  expect(status).toBe(0);
  expect(spawnSync("sh", ["-n"], { input: stdout }).status).toBe(0);
  expect(stdout).toMatch(
    /^ExecStart=\S+ \S+\/edge\.mjs run https:\/\/console\.example\.com --run-dir \/run\/console-edge .* --listen \[::\]:25565$/m,
  );
  for (const line of [
    "LoadCredential=edge-key:/etc/console-edge/key",
    "d /run/console-edge 0755 root root",
    "f /run/console-edge/hosts.map 0644 root root",
  ]) {
    expect(stdout.split("\n")).toContain(line);
  }
  for (const wrong of [
    ["https://console.example.com/%n"],
    ["https://console.example.com/'"],
    ["https://console.example.com", "--state-dir", "/a\nEND"],
    ["https://console.example.com", "--key-file", "key"],
    ["ftp://console.example.com"],
  ]) {
    expect(run("unit", ...wrong), wrong.join(" ")).toMatchObject({ status: 1, stdout: "" });
  }
});

test("the program runs through a symbolic link as well", () => {
  const dir = tempFolder();
  symlinkSync(PROGRAM, join(dir, "edge.mjs"));
  const { stdout, status } = spawnSync(process.execPath, [join(dir, "edge.mjs"), "haproxy-config"], {
    encoding: "utf8",
  });
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^frontend players$/m)]);
});

test("the configuration of HAProxy reaches a pipe whole, however many services it is for", () => {
  const { stdout, status } = run("haproxy-config", "--slots", "10000");
  expect(status).toBe(0);
  expect(stdout.match(/^backend slot_\d+$/gm)).toHaveLength(10_000);
  expect(stdout.endsWith("\n    balance roundrobin\n")).toBe(true);
});
