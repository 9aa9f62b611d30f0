import { expect, test } from "vitest";
import { isPublicIp } from "./public-ip";

test.each(["9.9.9.9", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "2a01:4f8::1"])("%s is public", (ip) => {
  expect(isPublicIp(ip)).toBe(true);
});

test.each([
  ..."10.0.0.1 172.31.255.255 192.168.1.1 127.0.0.1 169.254.1.1 100.64.0.1 192.0.2.1 224.0.0.1 255.255.255.255".split(
    " ",
  ),
  ..."::1 :: fe80::1 fd00::1 2001:db8::1 ff02::1 ::ffff:10.0.0.1".split(" "),
  "",
  "web-1",
])("%s is not", (ip) => {
  expect(isPublicIp(ip)).toBe(false);
});
