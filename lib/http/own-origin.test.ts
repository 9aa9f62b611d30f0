import { expect, test } from "vitest";
import { findOriginFault, withOneOrigin } from "./own-origin";

const faultOf = (headers: Record<string, string>, baseUrl?: string) => findOriginFault(new Headers(headers), baseUrl);

test.each([
  ["console.example.com", "https://console.example.com"],
  ["Console.Example.COM", "https://console.example.com"],
  ["console.example.com:443", "https://console.example.com"],
  ["console.example.com:80", "http://console.example.com"],
  ["console.example.com:8443", "HTTPS://Console.example.com:8443"],
  ["192.0.2.5:3000", "http://192.0.2.5:3000"],
  ["[2001:DB8::1]:3000", "http://[2001:db8:0::1]:3000"],
  ["[2001:db8::1]", "https://[2001:db8::1]:443"],
  ["console.example.com.", "https://console.example.com."],
])("without BASE_URL, Host %s and Origin %s are one console", (host, origin) => {
  expect(faultOf({ host, origin })).toBeNull();
});

test("the browser's same-origin claim is enough, whatever a proxy made of Host", () => {
  for (const headers of [
    { host: "console.example.com", origin: "https://console.example.com:8443" },
    { host: "console", origin: "https://console.example.com" },
    { host: "console.example.com", origin: "null" },
  ]) {
    const sent = { ...headers, "sec-fetch-site": "same-origin" };
    expect(faultOf(sent)).toBeNull();
    expect(faultOf(sent, "https://elsewhere.example")).toBeNull();
  }
});

test("a form of another site is foreign, one without Origin or Host unknown", () => {
  const own = { host: "console.example.com", origin: "https://console.example.com" };
  for (const site of ["cross-site", "same-site"]) expect(faultOf({ ...own, "sec-fetch-site": site })).toBe("foreign");
  for (const origin of ["null", "", "https://", "https://a b", "file:///x", 'https://<script>"', "https://a:99999"]) {
    expect(faultOf({ host: own.host, origin }), origin).toBe("unknown");
  }
  expect(faultOf({ host: own.host })).toBe("unknown");
  expect(faultOf({ host: "a/b", origin: own.origin })).toBe("unknown");
});

test.each([
  ["console.example.com", "https://elsewhere.example"],
  ["console.example.com", "https://console.example.com.elsewhere.example"],
  ["console.example.com", "https://console.example.com."],
  ["console.example.com:80", "https://console.example.com"],
  ["console.example.com:443", "http://console.example.com"],
  ["[2001:db8::1]:3000", "http://[2001:db8::2]:3000"],
])("without BASE_URL, Host %s and Origin %s are two, whatever else the request says", (host, origin) => {
  for (const more of [
    {},
    { "sec-fetch-site": "none" },
    { "sec-fetch-site": "Same-Origin" },
    { "sec-fetch-site": "same-origin, cross-site" },
    { "x-forwarded-host": new URL(origin).host },
    { "x-forwarded-proto": "https" },
  ]) {
    expect(faultOf({ host, origin, ...more }), JSON.stringify(more)).toMatchObject({ from: origin });
  }
});

test("what is refused for its address names both, as a browser writes them", () => {
  const origin = "https://Console.example.com:8443";
  const own = "https://console.example.com";
  expect(faultOf({ host: "Console.example.com", origin })).toEqual({ from: "https://console.example.com:8443", own });
  const other = "http://192.0.2.5:3000";
  expect(faultOf({ host: "192.0.2.5:3000", origin: other }, own)).toEqual({ from: other, own });
  expect(faultOf({ host: "x", origin: own }, own)).toBeNull();
});

test("Next gets one host for an accepted form, because it compares the text", () => {
  const seen = (headers: Record<string, string>) => {
    const equal = withOneOrigin(new Headers({ "x-forwarded-host": "a.example, b.example", ...headers }));
    return `${equal.get("origin")} ${equal.get("x-forwarded-host")}`;
  };
  const origin = "https://console.example.com:8443";
  expect(seen({ host: "console.example.com", origin })).toBe(`${origin} console.example.com:8443`);
  const unknown = { host: "Console.Example.com", origin: "null" };
  expect(seen(unknown)).toBe("http://console.example.com console.example.com");
});
