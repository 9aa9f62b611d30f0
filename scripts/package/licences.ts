import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Dependencies that a checkout needs to run, and the package does not. */
const OF_CHECKOUTS = [
  "tsx",
  "typescript",
  "@types/node",
  "@types/react",
  "@electric-sql/pglite",
  "smtp-server",
  "postal-mime",
];

const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
const LICENCE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;

type Manifest = { name: string; version: string; license?: string; dependencies?: Record<string, string> };

/**
 * The licences of the packages that these files belong to, and of all that pages are built from: which of those reach a
 * browser's file, a build does not tell. A package that has no text of its own is named with its licence.
 */
export function licencesOf(files: readonly string[]): string {
  const folders = new Set<string>();
  for (const name of Object.keys(readManifest(".").dependencies ?? {})) {
    if (!OF_CHECKOUTS.includes(name)) addWithDependencies(name, ".", folders);
  }
  for (const file of files) {
    const folder = PACKAGE.exec(file)?.[0];
    if (folder) folders.add(folder);
  }
  const sections = [...folders].map((folder) => {
    const { name, version, license = "see below" } = readManifest(folder);
    const texts = readdirSync(folder)
      .filter((file) => LICENCE.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), "utf8").trim());
    return [`${name} ${version}: ${license}`, ...new Set(texts)].join("\n\n");
  });
  const line = `\n\n${"-".repeat(80)}\n\n`;
  return `${["The packages that this console is built from, and their licences.", ...new Set(sections.sort())].join(line)}\n`;
}

/** Adds the folder of a package that is installed for `from`, and of all that it needs. */
function addWithDependencies(name: string, from: string, folders: Set<string>): void {
  const folder = findPackage(name, from);
  if (folder === null || folders.has(folder)) return;
  folders.add(folder);
  for (const needed of Object.keys(readManifest(folder).dependencies ?? {}))
    addWithDependencies(needed, folder, folders);
}

/** As Node looks for it: in the folder's own packages, then in those around it. Null: it is not installed. */
function findPackage(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
    if (folder === ".") return null;
  }
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}
