import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles } from "@/e2e/support/project-files";
import { isMachinePath } from "@/lib/http/machine-path.mjs";

// Who may import whom, over the whole project, type imports included.

/** What the text of a file names: `import … from`, `export … from`, `import("…")`, also in JSDoc, and `@import` there. */
const IMPORT =
  /(?:^(?:(\/\*\* @)?import|export)\s+(type\s+)?[^"';]*?from\s*|^import\s*|\bimport\()\s*["']([^"'\n]+)["']/gm;
const EXPORT = /^export (?:async )?(?:class|const|function\*?|let|type) (\w+)/gm;
const ENDINGS = ["", ".ts", ".tsx", ".mjs", "/index.ts"];

/** `to`: a file of the project, or the name of a package. `isType`: what is imported are types alone. */
type Import = { to: string; isType: boolean };

/**
 * The rooms from the lowest to the highest. A room imports rooms of its own rank and below. The first prefix that fits
 * counts, so a file can be named before the room that it stands in.
 */
const RANKS: readonly (readonly [rank: number, prefixes: readonly string[]])[] = [
  // The program of edge nodes takes nothing of the console's: it runs elsewhere.
  [-1, ["edge/"]],
  [6, ["lib/operations/"]],
  [0, ["lib/process/"]],
  [1, ["lib/http/", "lib/database/", "lib/rate-limit/"]],
  [4, ["lib/api/", "lib/sweep/"]],
  [5, ["lib/ingest/", "lib/mcp/"]],
  // The resources.
  [2, ["lib/accounts/", "lib/tokens/"]],
  [3, ["lib/servers/", "lib/sign-in/", "lib/game-services/", "lib/notices/"]],
  [0, ["lib/"]],
  [7, ["app/", "server/", "prisma/", "proxy.", "instrumentation.ts", "next.config.mjs", "prisma.config.ts"]],
  [8, ["scripts/", "bench/", "e2e/", "public/", "docs/", "vitest.config.ts", "playwright.config.ts"]],
];
const RESOURCES = [2, 3];
/** Prisma writes these files, and they import each other in circles. */
const GENERATED = "lib/generated/prisma/";

/** Made of `edge/`, so that it names whatever stands there. */
const MADE = "public/edge.mjs";
/** Customers import what it exports. */
const CLIENT = "public/clients/console-api.ts";
const THIS = "lib/imports.test.ts";
/** Next itself looks for these. */
const OF_NEXT = new Set(["generateViewport", "onRequestError"]);

/** A machine route that imported it could not run outside of Next. */
const OF_PAGES = /^(?:next|react|react-dom|server-only)(?:\/|$)|\.(?:css|tsx)$/;

const imports = readImports();

test("imports point to rooms of the same rank or below, never upward", () => {
  const upward = [...imports]
    // A unit test stands beside its file and may use what is above.
    .filter(([from]) => !/\.test\.tsx?$/.test(from))
    .flatMap(([from, all]) =>
      all.filter((one) => imports.has(one.to) && isUpward(from, one)).map(({ to }) => `${from} imports ${to}`),
    );
  expect(upward).toEqual([]);
});

test("machine routes and the server around Next import no page code", () => {
  const isMachineRoute = (file: string) =>
    /^app\/.*\/route\.ts$/.test(file) && isMachinePath(dirname(file).slice("app".length));
  const chains = new Map([...imports.keys()].filter(isMachineRoute).map((file) => [file, file]));
  expect(chains.size).toBeGreaterThan(0);
  chains.set("server/server.ts", "server/server.ts");
  const wrong: string[] = [];
  // The loop also visits what it adds.
  for (const [file, chain] of chains) {
    for (const { to, isType } of imports.get(file) ?? []) {
      const longer = `${chain} imports ${to}`;
      // The server itself hands pages to Next.
      if (OF_PAGES.test(to) && !isType && !file.startsWith("server/")) wrong.push(longer);
      if (!isType && !chains.has(to)) chains.set(to, longer);
    }
  }
  expect(wrong).toEqual([]);
});

test("every file stands in a room that has a rank", () => {
  expect([...imports.keys()].filter((file) => rankOf(file) === undefined)).toEqual([]);
});

test("what a file exports is named in another file", () => {
  const texts = [...imports.keys()]
    .filter((file) => file !== MADE && file !== THIS)
    .map((file) => ({ file, text: readFileSync(file, "utf8") }));
  const filesWith = new Map<string, number>();
  for (const { text } of texts) {
    for (const word of new Set(text.match(/\w+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1);
  }
  const unused = texts.flatMap(({ file, text }) =>
    [...text.matchAll(EXPORT)].flatMap(([, name = ""]) =>
      filesWith.get(name) === 1 && file !== CLIENT && !OF_NEXT.has(name) ? [`${file} exports ${name}`] : [],
    ),
  );
  expect(unused).toEqual([]);
});

/** Every file of the project with what it imports. */
function readImports(): Map<string, Import[]> {
  const files = new Set(projectFiles().filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !file.startsWith(GENERATED)));
  const found = [...files].map((file): [string, Import[]] => {
    const inside = readText(readFileSync(file, "utf8")).map(({ to, isType }) => {
      const path = to.startsWith("@/") ? to.slice(2) : to.startsWith(".") ? join(dirname(file), to) : null;
      const known = ENDINGS.map((ending) => `${path}${ending}`).find((name) => files.has(name));
      return { to: known ?? to, isType };
    });
    return [file, inside];
  });
  return new Map(found);
}

function readText(text: string): Import[] {
  return [...text.matchAll(IMPORT)].map(([, inComment, type, to = ""]) => ({
    to,
    isType: (inComment ?? type) !== undefined,
  }));
}

function isUpward(from: string, { to, isType }: Import): boolean {
  const [lower, upper] = [rankOf(from) ?? 0, rankOf(to) ?? 0];
  if (to.startsWith("lib/api/") && isType && RESOURCES.includes(lower)) return false;
  return upper > lower;
}

function rankOf(file: string): number | undefined {
  return RANKS.find(([, prefixes]) => prefixes.some((prefix) => file.startsWith(prefix)))?.[0];
}
