import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { readChangelog, withoutFileLinks } from "@/app/changelog/changelog";
import { type Block, blocksOf, Markdown, partsOf } from "./markdown";

const shown = (blocks: Block[]) => renderToStaticMarkup(createElement(Markdown, { blocks }));

test("sections and lists are recognised, and items of several lines stay one", () => {
  const text = `# Changes

What changed ([docs](docs/x.md)).

## Unreleased {#next}

### API

- \`since\` narrows
  the traffic ([contract](docs/contract.md)).
- See [it](/docs/api).

## 1.0.0

The first one.
`;
  const [beginning, ...releases] = partsOf(blocksOf(withoutFileLinks(text)), 2);
  expect(beginning).toMatchObject({ title: "", blocks: [{ type: "heading" }, { type: "paragraph" }] });
  expect(releases.map(({ id, title }) => `${id}: ${title}`)).toEqual(["next: Unreleased", ": 1.0.0"]);
  expect(releases.map(({ blocks }) => shown(blocks).replaceAll(/ class="[^"]+"/g, ""))).toEqual([
    '<h3>API</h3><ul><li><code translate="no">since</code> narrows\nthe traffic (contract).</li><li>See <a href="/docs/api">it</a>.</li></ul>',
    "<p>The first one.</p>",
  ]);
});

test("the page shows every word of the changelog from its first version on", () => {
  const text = readChangelog();
  const html = partsOf(blocksOf(text), 2)
    .slice(1)
    .map(({ title, blocks }) => `${title} ${shown(blocks)} `)
    .join("");
  const words = (part: string) => part.match(/[\p{L}\p{N}]+/gu) ?? [];
  expect(words(html.replaceAll(/<[^>]+>/g, " ").replaceAll(/&\w+;|&#x27;/g, " "))).toEqual(
    words(text.slice(text.indexOf("\n## "))),
  );
});

test("lines to copy take a preceding sentence ending in a colon as caption", () => {
  const [html] = ["Run this:\n\n```\nnpm start\n```\n\nThen wait:\n\n- a minute"].map((text) => shown(blocksOf(text)));
  expect(html).toMatch(/^<figure[^>]*><figcaption[^>]*><span>Run this<\/span>/);
  expect(html).toContain("<p>Then wait:</p>");
});
