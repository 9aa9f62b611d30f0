import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * The paths of the files that are served as they lie in `public/`, without their first slash, sorted.
 * @type {readonly string[]}
 */
export const PUBLIC_FILES = readdirSync("public", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative("public", join(entry.parentPath, entry.name)))
  .sort();
