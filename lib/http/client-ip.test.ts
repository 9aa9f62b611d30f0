import { expect, test } from "vitest";
import { clientIp, mayBeProxyIp } from "./client-ip";

const ipOf = (forwarded: string | null, trustedProxies: number) =>
  clientIp(new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded }), trustedProxies);

test("without proxies only the peer's own ip, the last one, is believed", () => {
  expect(ipOf("192.0.2.1", 0)).toBe("192.0.2.1");
  expect(ipOf("203.0.113.9, 192.0.2.1", 0)).toBe("192.0.2.1");
  expect(ipOf("evil, <script>, 192.0.2.1", 0)).toBe("192.0.2.1");
});

test("each trusted proxy vouches for one more ip to the left, no other", () => {
  const chain = "1.1.1.1, 203.0.113.9, 198.51.100.2, 10.0.0.1";
  expect(ipOf(chain, 1)).toBe("198.51.100.2");
  expect(ipOf(chain, 2)).toBe("203.0.113.9");
});

test("fewer ips than proxies: the outermost one there is", () => {
  expect(ipOf("192.0.2.1", 3)).toBe("192.0.2.1");
});

test("IPv4 in IPv6 becomes IPv4, IPv6 stays, and a missing ip is null", () => {
  expect(ipOf("::ffff:192.0.2.1", 0)).toBe("192.0.2.1");
  expect(ipOf("2001:db8::7", 0)).toBe("2001:db8::7");
  expect(ipOf(null, 0)).toBeNull();
  expect(ipOf(" , ", 0)).toBeNull();
});

test("port and zone are dropped, and hexadecimal IPv4 in IPv6 becomes IPv4", () => {
  expect(ipOf("192.0.2.1:5555", 0)).toBe("192.0.2.1");
  expect(ipOf("[2001:db8::7]:443", 0)).toBe("2001:db8::7");
  expect(ipOf("fe80::1%eth0", 0)).toBe("fe80::1");
  expect(ipOf("::ffff:c000:201", 0)).toBe("192.0.2.1");
  expect(ipOf("0:0:0:0:0:FFFF:192.0.2.1", 0)).toBe("192.0.2.1");
  expect(ipOf("[0000::ffff:c000:201]:443", 0)).toBe("192.0.2.1");
  expect(ipOf("::1:ffff:192.0.2.1", 0)).toBe("::1:ffff:192.0.2.1");
});

test("what is no ip is nobody's, however long", () => {
  for (const text of ["unknown", "<script>", "9".repeat(10_000), "1.2.3", "1.2.3.4.5"]) {
    expect(ipOf(text, 0)).toBeNull();
  }
});

test("an ip may be a proxy's when unknown or when the proxy count differs", () => {
  const mayBe = (forwarded: string, trustedProxies: number, isHttps = false) =>
    mayBeProxyIp(new Headers({ "x-forwarded-for": forwarded }), trustedProxies, isHttps);
  expect(mayBe("192.0.2.1", 0)).toBe(false);
  expect(mayBe("10.0.0.7", 0)).toBe(false);
  expect(mayBe("203.0.113.9, 10.0.0.1", 1, true)).toBe(false);
  // Such as a hosting platform, which tells the client's ip and ends TLS.
  expect(mayBe("8.8.8.8", 0, true)).toBe(false);
  expect(mayBe("10.0.0.1", 0, true)).toBe(true);
  expect(mayBe("203.0.113.9, 10.0.0.1", 0)).toBe(true);
  expect(mayBe("203.0.113.9, 198.51.100.1, 10.0.0.1", 1)).toBe(true);
  expect(mayBe("10.0.0.1", 1)).toBe(true);
  expect(mayBe("unknown", 0)).toBe(true);
});
