import { expect, test } from "vitest";
import { checkEmail } from "./email";

test.each([
  ["ann@example.com", "ann@example.com"],
  ["  Ann.B+web@Example.COM ", "ann.b+web@example.com"],
  ["ann@bücher.example", "ann@xn--bcher-kva.example"],
  ["ann@例え.jp", "ann@xn--r8jz45g.jp"],
  [`${"a".repeat(64)}@example.com`, `${"a".repeat(64)}@example.com`],
])("%s is an address: %s", (typed, email) => {
  expect(checkEmail(typed)).toEqual({ kind: "valid", email });
});

const ALONE = "Type one e-mail, such as ann@example.com, without a name or quotes.";

test.each([
  ["", "Type the e-mail that notices are sent to."],
  ["Ann <ann@example.com>", ALONE],
  ["ann@example.com, bob@example.com", ALONE],
  ["ann@example.com\r\nBcc: eve@example.net", ALONE],
  ["ann\u0000@example.com", ALONE],
  ["ann@example.com\u202E", ALONE],
  ['"ann b"@example.com', ALONE],
  ["ann@bob@example.com", ALONE],
  ["ann.@example.com", ALONE],
  ["bücher@example.com", ALONE],
  ["ann@localhost", ALONE],
  ["ann@127.0.0.1", ALONE],
  ["ann@[127.0.0.1]", ALONE],
  ["ann@example.com.", ALONE],
  ["ann", ALONE],
  ["@example.com", ALONE],
  [`${"a".repeat(65)}@example.com`, ALONE],
  [`ann@${"d".repeat(64)}.example`, ALONE],
  [`ann@${"a.".repeat(158)}example`, "An e-mail has at most 254 characters."],
])("%j is refused in a sentence", (typed, message) => {
  expect(checkEmail(typed)).toEqual({ kind: "invalid", field: "email", message });
});
