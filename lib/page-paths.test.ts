import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { findOwnPage, OWN_PAGES } from "./page-paths";

const files = readdirSync("app", { recursive: true, encoding: "utf8" });
const pages = files.filter((file) => /(^|\/)page\.tsx$/.test(file)).map((file) => `/${dirname(file)}`);

test("the listed pages and names beside an id match the folders of app/", () => {
  const folders = new Map<string, { pages: string[]; besideIds: string[] }>();
  for (const page of pages.filter((path) => path.includes("/[id]"))) {
    const [under = "", rest = ""] = page.split("/[id]");
    const besideIds = files
      .filter((file) => /\/(?:page\.tsx|route\.ts)$/.test(file) && `/${file}`.startsWith(`${under}/`))
      .map((file) => file.slice(under.length).split("/")[0] ?? "")
      .filter((name) => name !== "[id]" && name !== "page.tsx");
    const known = folders.get(under) ?? { pages: [], besideIds: [...new Set(besideIds)].sort() };
    known.pages.push(rest.replace("/", ""));
    folders.set(under, known);
  }
  const written = Object.values(OWN_PAGES).map(({ under, ...rest }) => [under, rest] as const);
  for (const known of folders.values()) known.pages.sort();
  expect(Object.fromEntries(folders)).toEqual(Object.fromEntries(written));
});

test.each([
  ["/dashboard/servers/7", { kind: "server", id: "7" }],
  ["/dashboard/servers/7/settings", { kind: "server", id: "7" }],
  ["/dashboard/servers/nonsense", { kind: "server", id: "nonsense" }],
  ["/dashboard/settings/api/7", { kind: "token", id: "7" }],
  ["/dashboard/servers/new", null],
  ["/dashboard/servers/7/", null],
  ["/dashboard/servers/7/first-check-in", null],
  ["/dashboard/servers/7/settings/more", null],
  ["/dashboard/servers/%37", null],
  ["/dashboard/settings/api/first-use", null],
  ["/dashboard/servers", null],
  ["/dashboard", null],
])("%s is a page of one thing, or not: %j", (path, expected) => {
  expect(findOwnPage(path)).toEqual(expected);
});
