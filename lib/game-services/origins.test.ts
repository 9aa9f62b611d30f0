import { expect, test } from "vitest";
import { isPrivateOrigin, isUsableOrigin } from "./origins";

test("private, loopback and link-local origins are known in every spelling, and public ones pass", () => {
  for (const host of [
    "10.1.2.3",
    "127.0.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "224.0.0.1",
    "::1",
    "::",
    "::ffff:10.0.0.1",
    "::ffff:7f00:1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "localhost",
    "a.localhost",
    "printer.local",
    "db.internal",
    "router",
  ]) {
    expect(isPrivateOrigin(host), host).toBe(true);
  }
  for (const host of [
    "192.0.2.80",
    "8.8.8.8",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "origin.example.com",
    "local.example",
  ]) {
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
