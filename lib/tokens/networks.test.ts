import { expect, test } from "vitest";
import { checkNetworks, isInside, MAX_NETWORKS, mergeNetworks } from "./networks";

test.each([
  ["", []],
  [" \r\n\t", []],
  ["203.0.113.0/24", ["203.0.113.0/24"]],
  ["203.0.113.7", ["203.0.113.7/32"]],
  ["10.0.0.0/8\r\n192.168.1.0/24\r\n", ["10.0.0.0/8", "192.168.1.0/24"]],
  ["10.0.0.0/8, 192.168.1.0/24 198.51.100.4/31", ["10.0.0.0/8", "192.168.1.0/24", "198.51.100.4/31"]],
  ["2001:0DB8:0000::/32 2001:db8:1::1", ["2001:db8::/32", "2001:db8:1::1/128"]],
  ["2000::/16 ::1", ["2000::/16", "::1/128"]],
])("%j is stored as %j", (typed, networks) => expect(checkNetworks(typed)).toEqual({ kind: "valid", networks }));

const NOT_ONE = (text: string) => `“${text}” is not a network. Write one such as 203.0.113.0/24 or 2001:db8::/32.`;

test.each([
  ["office", NOT_ONE("office")],
  ["10.0.0.0/33", NOT_ONE("10.0.0.0/33")],
  ["10.0.0/24", NOT_ONE("10.0.0/24")],
  ["010.0.0.0/8", NOT_ONE("010.0.0.0/8")],
  ["10.0.0.0/08", NOT_ONE("10.0.0.0/08")],
  ["10.0.0.0/", NOT_ONE("10.0.0.0/")],
  ["10.0.0.0/8/8", NOT_ONE("10.0.0.0/8/8")],
  ["10.0.0.0/-8", NOT_ONE("10.0.0.0/-8")],
  ["fe80::1%eth0", NOT_ONE("fe80::1%eth0")],
  ["2001:db8::/129", NOT_ONE("2001:db8::/129")],
  ["2001:db8:::/32", NOT_ONE("2001:db8:::/32")],
  ["0.0.0.0/0", "“0.0.0.0/0” is too wide. An IPv4 network has at least /8."],
  ["10.0.0.0/7", "“10.0.0.0/7” is too wide. An IPv4 network has at least /8."],
  ["::/0", "“::/0” is too wide. An IPv6 network has at least /16."],
  ["2000::/15", "“2000::/15” is too wide. An IPv6 network has at least /16."],
  ["::ffff:10.0.0.0/104", "“::ffff:10.0.0.0/104” is IPv4 written as IPv6. Write it as IPv4, such as 203.0.113.0/24."],
  ["::FFFF:A00:0/104", "“::FFFF:A00:0/104” is IPv4 written as IPv6. Write it as IPv4, such as 203.0.113.0/24."],
  ["64:ff9b::10.0.0.1", "“64:ff9b::10.0.0.1” is IPv4 written as IPv6. Write it as IPv4, such as 203.0.113.0/24."],
  ["10.0.0.1/8", "“10.0.0.1/8” is an ip within a network. The network is 10.0.0.0/8."],
  ["203.0.113.255/25", "“203.0.113.255/25” is an ip within a network. The network is 203.0.113.128/25."],
  ["2001:db8::1/64", "“2001:db8::1/64” is an ip within a network. The network is 2001:db8::/64."],
  ["10.0.0.0/8\r\n10.0.0.0/8", "10.0.0.0/8 is there twice."],
  ["203.0.113.7 203.0.113.7/32", "203.0.113.7/32 is there twice."],
  ["2001:db8::/32 2001:DB8:0::/32", "2001:db8::/32 is there twice."],
  [
    Array.from({ length: 21 }, (_, index) => `10.0.${index}.0/24`).join("\r\n"),
    "A token can have at most 20 networks. These are 21.",
  ],
  ["1".repeat(8192), NOT_ONE(`${"1".repeat(49)}…`)],
])("%j is refused in a sentence", (typed, message) => {
  expect(checkNetworks(typed)).toEqual({ kind: "invalid", field: "networks", message });
});

test("a token may have twenty networks, each as long as can be", () => {
  const typed = Array.from(
    { length: MAX_NETWORKS },
    (_, index) => `2001:db8:ffff:ffff:ffff:ffff:ffff:ff${index + 10}/128`,
  );
  expect(checkNetworks(typed.join("\r\n"))).toEqual({ kind: "valid", networks: typed });
});

test.each([
  ["203.0.113.7", ["203.0.113.0/24"], true],
  ["203.0.114.7", ["203.0.113.0/24"], false],
  ["203.0.113.128", ["203.0.113.128/25"], true],
  ["203.0.113.127", ["203.0.113.128/25"], false],
  ["203.0.113.7", ["10.0.0.0/8", "203.0.113.7/32"], true],
  ["203.0.113.8", ["10.0.0.0/8", "203.0.113.7/32"], false],
  ["2001:db8::1", ["2001:db8::/32"], true],
  ["2001:db9::1", ["2001:db8::/32"], false],
  ["2001:db8:0:0:8000::1", ["2001:db8:0:0:8000::/65"], true],
  ["2001:db8:0:0:7fff::1", ["2001:db8:0:0:8000::/65"], false],
  ["::1", ["::1/128"], true],
  // The first bits are the same, and the families are not.
  ["32.1.13.184", ["2001:db8::/32"], false],
  ["0.0.0.1", ["::/16"], false],
  ["10.255.0.1", ["10.0.0.0/8"], true],
  ["11.0.0.1", ["10.0.0.0/8"], false],
  ["10.7.255.1", ["10.0.0.0/13"], true],
  ["10.8.0.1", ["10.0.0.0/13"], false],
  ["2001:ffff::1", ["2001::/16"], true],
  ["2002::1", ["2001::/16"], false],
  [null, ["10.0.0.0/8", "2000::/16"], false],
  ["unknown", ["10.0.0.0/8", "2000::/16"], false],
  ["10.0.0.1", [], false],
  // What no form stores holds nothing, and never everything.
  ["10.0.0.1", ["10.0.0.1/0", "0.0.0.0/0", "10/8", "10.0.0.1/8", "", "nonsense"], false],
])("%s inside %j: %s", (ip, networks, inside) => expect(isInside(networks, ip)).toBe(inside));

test("used networks are added where none holds them, up to the allowed number", () => {
  const merged = mergeNetworks(["203.0.113.0/24"], ["203.0.113.7", "198.51.100.7", "2001:db8:0:0::/64", "unknown"]);
  expect(merged).toEqual(["203.0.113.0/24", "198.51.100.7/32", "2001:db8::/64"]);
  const many = Array.from({ length: 30 }, (_, index) => `198.51.100.${index}`);
  expect(mergeNetworks([], many)).toHaveLength(MAX_NETWORKS);
});
