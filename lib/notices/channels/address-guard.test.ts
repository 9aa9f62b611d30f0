import { expect, test } from "vitest";
import { checkAddress, guardedLookup, MAX_ADDRESS_LENGTH } from "./address-guard";

const messageOf = (typed: string, allowPrivate = false) => {
  const checked = checkAddress(typed, allowPrivate);
  return checked.kind === "valid" ? "valid" : checked.message;
};

test.each([
  "https://example.com/notices?key=1",
  "http://example.com:80",
  "https://example.com:443/",
  "https://example.com:1024",
  "https://example.com:65535",
  "https://8.8.8.8/",
  "https://[2606:4700::1]/",
  "https://xn--bcher-kva.example/",
  "https://bücher.example/",
  "  https://example.com  ",
])("%s can be the address of a receiver", (typed) => {
  expect(messageOf(typed)).toBe("valid");
});

const PRIVATE = "This URL leads into a private network, where the console sends nothing.";

test.each([
  "127.1",
  "0x7f000001",
  "2130706433",
  "0",
  "10.1.2.3",
  "[::1]",
  "[::ffff:a9fe:a9fe]",
  "localhost",
  "printer",
  "db.internal",
  "router.lan",
])("http://%s leads into a private network and is allowed only by the operator", (host) => {
  expect(messageOf(`http://${host}:8080/`)).toBe(PRIVATE);
  expect(messageOf(`http://${host}:8080/`, true)).toBe("valid");
});

test.each([
  ["", "Paste the URL that messages are sent to."],
  ["example.com", "A URL begins with https:// or http://, such as https://example.com/notices."],
  ["ftp://example.com", "A URL begins with https:// or http://, such as https://example.com/notices."],
  ["javascript:alert(1)", "A URL begins with https:// or http://, such as https://example.com/notices."],
  ["https://user:secret@example.com/", "A URL cannot hold a user name or a password."],
  ["https://example.com./", "The host of this URL is neither a DNS name nor an IP."],
  ["https://exa$mple.com/", "The host of this URL is neither a DNS name nor an IP."],
  ...[1, 22, 25, 79, 81, 444, 1023].map((port) => [
    `https://example.com:${port}/`,
    "The port of a URL is 80, 443, or 1024 and up.",
  ]),
  [`https://example.com/${"a".repeat(MAX_ADDRESS_LENGTH)}`, "A URL has at most 1000 characters."],
])("%s is refused in a sentence", (typed, message) => {
  expect(messageOf(typed ?? "")).toBe(message);
  expect(messageOf(typed ?? "", true)).toBe(message);
});

test("a look-up that is ended answers at once that the name is unknown", async () => {
  const ending = new AbortController();
  const answer = new Promise((resolve) =>
    guardedLookup(false, ending.signal)("silent.example", { all: true }, (error) => resolve(error?.name)),
  );
  ending.abort();
  expect(await answer).toBe("UnknownAddressError");
});
