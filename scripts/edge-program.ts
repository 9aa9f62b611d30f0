import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** Where the console serves it from. */
export const EDGE_PROGRAM = "public/edge.mjs";

const ENTRY = "edge/main.mjs";
/** What `ENTRY` says about the program at its top, after the line that names Node. */
const HEAD = /^#!.*\n((?:\/\/.*\n)+)/;
const MADE = `//
// Made of the modules in the folder edge of its project: change those. "npm run build" writes this file.`;

/**
 * The program of edge nodes as one file with its comments, because people read it before they run it.
 * @throws Error when a module does not parse or names what is not there
 */
export async function bundleEdgeProgram(): Promise<string> {
  // Names of constants say more than their values.
  const bundle = await rolldown({ input: ENTRY, platform: "node", optimization: { inlineConst: false } });
  try {
    const [, head = ""] = HEAD.exec(readFileSync(ENTRY, "utf8")) ?? [];
    const { output } = await bundle.generate({ format: "esm", banner: `${head}${MADE}` });
    return output[0].code;
  } finally {
    await bundle.close();
  }
}

/** Writes the program to where the console serves it from. Somebody who fetches it meanwhile gets a whole one. */
export async function writeEdgeProgram(): Promise<void> {
  const text = await bundleEdgeProgram();
  const folder = mkdtempSync(".edge-program-");
  try {
    writeFileSync(join(folder, "edge.mjs"), text);
    renameSync(join(folder, "edge.mjs"), EDGE_PROGRAM);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
