import { expect, test } from "vitest";
import { checkService, type ServiceInput } from "./service-input";

const RULES = { ownHosts: ["console.example.com", "198.51.100.1"], allowPrivateOrigins: false };
const GOOD: ServiceInput = {
  name: "Survival",
  javaHostname: "play.example.com",
  originHost: "192.0.2.80",
  originPort: "25565",
};
const check = (changed: Partial<ServiceInput>, rules = RULES) => checkService({ ...GOOD, ...changed }, rules);

test("names are kept trimmed, in lower case and without a final dot", () => {
  expect(check({ name: "  Survival ", javaHostname: " Play.Example.COM. ", originHost: "[2606:4700::1111]" })).toEqual({
    kind: "valid",
    service: {
      name: "Survival",
      javaHostname: "play.example.com",
      originHost: "2606:4700::1111",
      originPort: 25_565,
    },
  });
  const longest = `${"a".repeat(60)}.`.repeat(4) + "b".repeat(9);
  expect(longest).toHaveLength(253);
  expect(check({ javaHostname: longest }).kind).toBe("valid");
  expect(check({ originHost: "10.0.0.1" }, { ...RULES, allowPrivateOrigins: true }).kind).toBe("valid");
});

test("what cannot be used is refused in a sentence for its field", () => {
  for (const [changed, field, message] of [
    [{ name: " " }, "name", "Enter a name."],
    [{ name: "a\u202Eb" }, "name", "text-direction"],
    [{ name: "x".repeat(65) }, "name", "at most 64"],
    [{ javaHostname: "" }, "javaHostname", "Enter the public hostname."],
    [{ javaHostname: "<b>play</b>.example.com" }, "javaHostname", "is a DNS name"],
    [{ javaHostname: "play.example.com\nserver x" }, "javaHostname", "is a DNS name"],
    [{ javaHostname: "*.example.com" }, "javaHostname", "Wildcards are not possible"],
    [{ javaHostname: "localhost" }, "javaHostname", "is a DNS name"],
    [{ javaHostname: "192.0.2.1" }, "javaHostname", "is a DNS name"],
    [{ javaHostname: "a_b.example.com" }, "javaHostname", "is a DNS name"],
    [{ javaHostname: `${"a".repeat(64)}.example` }, "javaHostname", "is a DNS name"],
    [{ javaHostname: `${"a".repeat(60)}.`.repeat(4) + "b".repeat(10) }, "javaHostname", "this one has 254"],
    [{ javaHostname: "bücher.example" }, "javaHostname", "This one is xn--bcher-kva.example"],
    // A Cyrillic letter among Latin ones.
    [{ javaHostname: "p\u0430ypal.example" }, "javaHostname", "xn--pypal-4ve.example; look at it closely"],
    [{ javaHostname: "Console.example.com" }, "javaHostname", "the console's own"],
    [{ originHost: "" }, "originHost", "Enter the hostname or the ip"],
    [{ originHost: "a b" }, "originHost", "The origin is a DNS name"],
    [{ originHost: "example.com:25565" }, "originHost", "without a port"],
    [{ originHost: "127.0.0.1" }, "originHost", "private, loopback or link-local"],
    [{ originHost: "::ffff:127.0.0.1" }, "originHost", "private, loopback or link-local"],
    [{ originHost: "CONSOLE.example.com" }, "originHost", "the console's own"],
    [{ originHost: "198.51.100.1" }, "originHost", "the console's own"],
    [{ originPort: "" }, "originPort", "Enter the port"],
    [{ originPort: "0" }, "originPort", "from 1 to 65535"],
    [{ originPort: "65536" }, "originPort", "from 1 to 65535"],
    [{ originPort: "1e3" }, "originPort", "from 1 to 65535"],
  ] as [Partial<ServiceInput>, string, string][]) {
    const refused = { kind: "invalid", field, message: expect.stringContaining(message) };
    expect(check(changed), JSON.stringify(changed)).toMatchObject(refused);
  }
});
