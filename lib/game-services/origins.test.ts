import { expect, test } from "vitest";
import { isPrivateOrigin, isUsableOrigin } from "./origins";

// scripts/edge-program.test.ts has every range.
test("private ips and names of private networks are known, and public ones pass", () => {
  for (const host of [
    "10.1.2.3",
    "::ffff:7f00:1",
    "localhost",
    "a.localhost",
    "printer.local",
    "db.internal",
    "router",
  ]) {
    expect(isPrivateOrigin(host), host).toBe(true);
  }
  for (const host of ["192.0.2.80", "::ffff:8.8.8.8", "origin.example.com", "local.example"]) {
    expect(isPrivateOrigin(host), host).toBe(false);
  }
});

test("an origin is a DNS name or an ordinary ip, with no ambiguous spelling", () => {
  for (const host of ["192.0.2.80", "2001:db8::1", "origin.example.com", "a_b.example", "xn--bcher-kva.example"]) {
    expect(isUsableOrigin(host), host).toBe(true);
  }
  for (const host of [
    "",
    ".",
    "a..b",
    "-a.example",
    "a-.example",
    "0x7f000001",
    "2130706433",
    "127.1",
    "0177.0.0.1",
    "fe80::1%eth0",
    "a b",
    "a;b",
    "a\nb",
    "a.example\n",
    "[::1]",
    "a.example:25565",
    "http://a.example",
    "<b>",
    "bücher.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(127)}aa`,
  ]) {
    expect(isUsableOrigin(host), JSON.stringify(host)).toBe(false);
  }
});
