import { expect, test } from "vitest";
import { parseChangelog, readChangelog, withoutFileLinks } from "./changelog";

test("releases, groups and items are told apart, and items of several lines are one", () => {
  const text = `# Changes

What changed ([docs](docs/x.md)).

## Unreleased

### API

- \`since\` narrows
  the traffic ([contract](docs/contract.md)).
- See [it](/docs/api).

## 1.0.0

The first one.
`;
  expect(parseChangelog(withoutFileLinks(text))).toEqual([
    {
      title: "Unreleased",
      groups: [{ title: "API", items: ["`since` narrows the traffic (contract).", "See [it](/docs/api)."] }],
    },
    { title: "1.0.0", groups: [{ title: "", items: ["The first one."] }] },
  ]);
});

test("every word of the project's changelog behind its first version is in what the page shows", () => {
  const text = readChangelog();
  const shown = parseChangelog(text)
    .flatMap(({ title, groups }) => [title, ...groups.flatMap((group) => [group.title, ...group.items])])
    .join(" ");
  const words = (part: string) => part.match(/[\p{L}\p{N}]+/gu) ?? [];
  expect(words(shown)).toEqual(words(text.slice(text.indexOf("\n## "))));
});
