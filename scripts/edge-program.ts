import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The modules of the edge nodes' program, and the one that it begins with. */
const FOLDER = "edge";
const ENTRY = "main.mjs";

const MADE = `//
// Made of the modules in the folder ${FOLDER} of its project: change those, and run "npm run documents".
`;

const HEAD = /^(?:(?:#!|\/\/).*\n)+/;
const IMPORT = /^import \{(\s*\w+(?:,\s*\w+)*,?\s*)\} from "(.+)";\n/gm;
const TYPE_IMPORT = /^\/\*\* @import .*\n/gm;
const EXPORT = /^export (?=(?:async function|class|const|function|let) )/gm;

/**
 * The text of `public/edge.mjs`: one file, because people read it before they run it. Each module stands after those that
 * it imports, as it was written but for `import` and `export`; a bundler would lose most comments.
 * @throws Error for an import or export in a form that cannot be left out
 */
export function writeEdgeProgram(folder = FOLDER): string {
  /** The modules' texts by name, and the names that they take from each module of Node. */
  const parts = new Map<string, string>();
  const fromNode = new Map<string, string[]>();
  const add = (file: string) => {
    if (parts.has(file)) return;
    const source = readFileSync(join(folder, file), "utf8");
    for (const [, names = "", from = ""] of source.matchAll(IMPORT)) {
      if (from.startsWith("./")) add(from.slice(2));
      else fromNode.set(from, [...(fromNode.get(from) ?? []), ...names.split(",").map((name) => name.trim())]);
    }
    const text = [IMPORT, TYPE_IMPORT, EXPORT].reduce((left, pattern) => left.replace(pattern, ""), source);
    const other = /^(?:import|export) .*|^\/\*\* @import.*/m.exec(text);
    if (other) throw new Error(`${join(folder, file)}: "${other[0]}" cannot stand in the one file.`);
    parts.set(file, file === ENTRY ? text.replace(HEAD, "").trim() : text.trim());
  };
  add(ENTRY);
  const imports = [...fromNode].sort().map(([from, names]) => {
    const sorted = [...new Set(names)].filter(Boolean).sort((one, other) => one.localeCompare(other, "en"));
    return `import { ${sorted.join(", ")} } from "${from}";`;
  });
  const [head = ""] = HEAD.exec(readFileSync(join(folder, ENTRY), "utf8")) ?? [];
  const texts = [...parts].map(([file, text]) => `// ---- ${file.replace(".mjs", "")}\n\n${text}\n`);
  return `${head}${MADE}${imports.join("\n")}\n\n${texts.join("\n")}`;
}
