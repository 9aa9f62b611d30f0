import { expect, test } from "vitest";
import { networkOf, siteOf, widerNetworksOf } from "./network";

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["2001:db8:85a3:8d3:1319:8a2e:370:7348", "2001:db8:85a3:8d3::/64"],
  ["2001:0DB8:85A3:08D3::1", "2001:db8:85a3:8d3::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["64:ff9b::203.0.113.9", "64:ff9b:0:0::/64"],
  ["1:2:3::4:5:203.0.113.9", "1:2:3:0::/64"],
  [null, "unknown"],
])("%s is in %s", (ip, network) => expect(networkOf(ip)).toBe(network));

test.each([
  ["2001:db8:85a3:8d3:1319:8a2e:370:7348", { home: "2001:db8:85a3:800::/56", site: "2001:db8:85a3::/48" }],
  ["2001:db8::1", { home: "2001:db8:0:0::/56", site: "2001:db8:0::/48" }],
  ["203.0.113.9", null],
  [null, null],
])("the wider networks of %s are %j", (ip, wider) => expect(widerNetworksOf(ip)).toEqual(wider));

test.each([
  ["2001:db8:85a3:8d3:1319:8a2e:370:7348", "2001:db8:85a3::/48"],
  ["203.0.113.9", "203.0.113.9"],
  [null, "unknown"],
])("a stranger from %s waits in the turn of %s", (ip, site) => expect(siteOf(ip)).toBe(site));
