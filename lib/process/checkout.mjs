// What a checkout needs before anything of it runs. Plain JavaScript without packages: a fresh clone has nothing else.
import { readFileSync } from "node:fs";

/** A sentence about a Node that is not supported; null for one that is. */
export function nodeProblem() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if ((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major >= 24) return null;
  return `This needs Node 20.19 or newer (20, 22.12, or 24 and later); this is Node ${process.versions.node}.`;
}

/**
 * Whether the packages in the lock file are installed, as far as this machine needs them.
 * @param {boolean} withTools
 */
export function isInstalled(withTools) {
  try {
    const installed = JSON.parse(readFileSync("node_modules/.package-lock.json", "utf8")).packages;
    const wanted = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
    delete wanted[""];
    return Object.entries(wanted).every(([path, { version, optional, dev }]) =>
      installed[path] ? installed[path].version === version : optional || (dev && !withTools),
    );
  } catch {
    return false;
  }
}
