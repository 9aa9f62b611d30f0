import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

// CONTRIBUTING.md, "Add a page": a page sets no colours, sizes of text or distances of its own.

const APP = fileURLToPath(new URL("..", import.meta.url));
const TOKENS = "tokens.css";
const SHEETS = readdirSync(APP, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".css"));

const COLOUR = /#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch|oklab|lab|lch|color)a?\(/i;
const DISTANCE =
  /^\s*(gap|row-gap|column-gap|padding[\w-]*|margin[\w-]*|scroll-margin[\w-]*|inset[\w-]*|top|right|bottom|left|font-size|font-weight|border-radius):(.*);/;

test.each(SHEETS.filter((file) => file !== TOKENS))(
  "%s takes its colours, distances and sizes of text from the tokens",
  (file) => {
    const lines = readFileSync(APP + file, "utf8").split("\n");
    const own = lines.filter((line) => COLOUR.test(line) || hasOwnDistance(line));
    expect(own).toEqual([]);
  },
);

/** More than a pixel, and not derived from a token. `em` follows the text it stands in; a part of the screen is no size. */
function hasOwnDistance(line: string): boolean {
  const value = DISTANCE.exec(line)?.[2] ?? "";
  return (
    value
      .replaceAll(/var\([^)]*\)/g, "")
      .match(/\d*\.?\d+(rem|px)|\b\d{3}\b(?!%)/g)
      ?.some((size) => size !== "1px") ?? false
  );
}

test("what colour is healthy, strained or critical stands once, in the tokens", () => {
  const telling = SHEETS.filter((file) => /data-level="(strained|critical)"/.test(readFileSync(APP + file, "utf8")));
  expect(telling).toEqual([TOKENS]);
});

test("every token a style sheet uses is defined in tokens.css or itself", () => {
  const tokens = new Set([...readFileSync(APP + TOKENS, "utf8").matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name));
  const unknown = SHEETS.flatMap((file) => {
    const sheet = readFileSync(APP + file, "utf8");
    const own = new Set([...sheet.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name]) => name));
    return [...sheet.matchAll(/var\((--[\w-]+)/g)]
      .map(([, name]) => name)
      .filter((name) => !tokens.has(name) && !own.has(name));
  });
  expect(unknown).toEqual([]);
});

test("every token and every class that a sheet declares is used", () => {
  const isCode = (file: string) => /\.tsx?$/.test(file) && !file.endsWith(".test.ts");
  const code = readdirSync(APP, { recursive: true, encoding: "utf8" })
    .filter(isCode)
    .map((file) => readFileSync(APP + file, "utf8"))
    .join("\n");
  const sheets = SHEETS.map((file) => readFileSync(APP + file, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, "")).join("\n");
  const tokens = [...sheets.matchAll(/^\s*(--[\w-]+):/gm)].map(([, name = ""]) => name);
  const classes = [...sheets.matchAll(/\.([a-z][\w-]*)/gi)].map(([, name = ""]) => name);
  // A number at the end may be put there when the page is made.
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(code) || code.includes(name.replace(/\d+$/, "${"));
  expect(tokens.filter((name) => !sheets.includes(`var(${name}`) && !code.includes(name))).toEqual([]);
  expect([...new Set(classes)].filter((name) => !isUsed(name))).toEqual([]);
});

test("colours outside the style sheets are those of the tokens", () => {
  const root = `${APP}../`;
  const known = new Set(readFileSync(APP + TOKENS, "utf8").match(/#[0-9a-f]{6}\b/g));
  const own = ["public/error.css", "lib/http/plain-page-text.mjs", "app/layout.tsx"].flatMap((file) =>
    [...readFileSync(root + file, "utf8").matchAll(/#[0-9a-f]{6}\b/g)].map(([colour]) => `${file} ${colour}`),
  );
  expect(own.length).toBeGreaterThan(0);
  expect(own.filter((entry) => !known.has(entry.split(" ")[1] ?? ""))).toEqual([]);
});
