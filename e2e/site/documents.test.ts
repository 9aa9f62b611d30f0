import { expect, test } from "vitest";
import { origin } from "@/e2e/support/over-http";
import type { OpenApiDocument } from "@/lib/api/openapi";
import { SERVED_FILES } from "@/lib/api/served-files";

const FOREIGN = "https://elsewhere.example";

test("no document read with GET names its reader's Origin as the API", async () => {
  for (const path of ["/openapi.json", "/docs/api", "/docs/api.md", "/llms.txt", "/"]) {
    const response = await fetch(origin + path, { headers: { Origin: FOREIGN } });
    const text = await response.text();
    expect(response.status, path).toBe(200);
    expect(text, path).not.toContain("elsewhere.example");
    expect(text, path).toContain(origin);
  }
});

test("every file that the reference names is served as text to any origin", async () => {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as OpenApiDocument;
  for (const path of Object.keys(SERVED_FILES)) {
    const response = await fetch(origin + path, { headers: { Origin: FOREIGN } });
    expect(response.status, path).toBe(200);
    expect(response.headers.get("access-control-allow-origin"), path).toBe("*");
    expect(response.headers.get("content-type"), path).toMatch(
      /^(?:text\/(?:plain|markdown)|application\/json); charset=utf-8$/,
    );
    expect(response.headers.get("x-content-type-options"), path).toBe("nosniff");
  }
  const reference = await (await fetch(`${origin}/docs/api.md`)).text();
  const index = await (await fetch(`${origin}/llms.txt`)).text();
  for (const [path, { get }] of Object.entries(document.paths)) {
    expect(reference).toContain(`### GET ${path}\n\n${get.summary}. ${get.description}`);
    expect(index).toContain(`- \`${path}`);
  }
  for (const path of Object.keys(SERVED_FILES)) expect(reference, path).toContain(`](${path})`);
  expect(index).toContain(`(${origin}/docs/api.md)`);
});

test("every link of a served text leads to something that is served", async () => {
  for (const path of ["/changelog.md", "/docs/api.md", "/llms.txt"]) {
    const text = await (await fetch(origin + path)).text();
    const links = [...text.matchAll(/(?<!`)\]\(([^)\s]+)\)/g)].map(([, to = ""]) => to);
    for (const to of new Set(links)) {
      const url = new URL(to, origin + path);
      if (url.origin !== origin) continue;
      expect([to, (await fetch(url)).status], path).toEqual([to, 200]);
    }
  }
});

test("each section, text and command of the page is in its Markdown", async () => {
  const page = await (await fetch(`${origin}/docs/api`)).text();
  const reference = await (await fetch(`${origin}/docs/api.md`)).text();
  const titles = [...page.matchAll(/<h2 id="[^"]+"[^>]*><a[^>]*>([^<]+)<\/a>/g)].map(([, title]) => title);
  expect([...reference.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(titles);
  expect(titles.length).toBeGreaterThan(8);
  const shown = textOf(page);
  const written = textOf(reference.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, "$1"));
  const paragraphs = [...page.matchAll(/<p>(.*?)<\/p>/g)].map(([, html = ""]) => textOf(html));
  expect(paragraphs.length).toBeGreaterThan(20);
  for (const paragraph of paragraphs) expect(written).toContain(paragraph);
  expect(shown).toContain("60 seconds");
});

/** What a reader sees of HTML or Markdown: without tags, code marks and line breaks. */
function textOf(source: string): string {
  return source
    .replaceAll(/<!-- -->|<[^>]+>/g, "")
    .replaceAll("`", "")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
