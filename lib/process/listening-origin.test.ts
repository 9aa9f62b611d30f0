import { expect, test } from "vitest";
import { listeningOrigin } from "./listening-origin";

test.each([
  ["127.0.0.1", "http://127.0.0.1:3000"],
  ["0.0.0.0", "http://localhost:3000"],
  ["::", "http://localhost:3000"],
  ["::1", "http://[::1]:3000"],
  ["console.internal", "http://console.internal:3000"],
])("what listens on %s is opened at %s", (host, origin) => {
  expect(listeningOrigin(host, 3000)).toBe(origin);
});
