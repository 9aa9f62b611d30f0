import { expect, test } from "vitest";
import { NOTICE } from "@/e2e/support/receivers";
import { discordBody } from "./discord";

const MESSAGE = { ...NOTICE, link: "https://c.example/x" };
const contentOf = (title: string, lines: string[] = []) => discordBody({ ...MESSAGE, title, lines }).content;

test("a Discord message pings nobody and shows names as they were typed", () => {
  expect(discordBody(MESSAGE)).toEqual({
    content: "**web\\-1 is offline**\nSince 07\\:23 UTC.\n<https://c.example/x>",
    allowed_mentions: { parse: [] },
    flags: 4,
  });
  expect(contentOf("@everyone <@123> <@&4> <#5>")).toBe(
    "**\\@everyone \\<\\@123\\> \\<\\@&4\\> \\<\\#5\\>**\n<https://c.example/x>",
  );
  expect(contentOf("[pay](https://evil.example) **b** `c` ||d|| ~~e~~ __f__")).toBe(
    "**\\[pay\\]\\(https\\://evil.example\\) \\*\\*b\\*\\* \\`c\\` \\|\\|d\\|\\| \\~\\~e\\~\\~ \\_\\_f\\_\\_**\n<https://c.example/x>",
  );
  expect(contentOf("a\r\n# b\u202Ec\u2066d\u0000")).toBe("**a \\# b c d**\n<https://c.example/x>");
  expect(contentOf("a\\")).toBe("**a\\\\**\n<https://c.example/x>");
});

test("it has at most 2,000 characters, its link and the count of missing lines", () => {
  for (const line of ["x", "@".repeat(64), "\\".repeat(5000), "😀".repeat(400)]) {
    for (const count of [0, 1, 10, 100]) {
      const content = contentOf("*".repeat(5000), new Array(count).fill(line));
      expect(content.length).toBeLessThanOrEqual(2000);
      expect(content).toMatch(/\n<https:\/\/c\.example\/x>$/);
      const shown = content
        .split("\n")
        .filter((one) => !one.startsWith("**") && !one.startsWith("<") && !one.startsWith("…"));
      const missing = Number(/… and (\d+) more lines/.exec(content)?.[1] ?? 0);
      expect(shown.length + missing).toBe(count);
    }
  }
});
