import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The paths of the project's files: all but those that .gitignore names, which stand at the top. For tests that read them. */
export function projectFiles(): string[] {
  const ignored = readFileSync(".gitignore", "utf8").split("\n").filter(Boolean).map(patternOf);
  const names = readdirSync(".", { withFileTypes: true }).filter(
    ({ name }) => name !== ".git" && !ignored.some((pattern) => pattern.test(name)),
  );
  return names.flatMap((entry) => (entry.isDirectory() ? filesBelow(entry.name) : [entry.name]));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** A line of .gitignore, such as `/test-results/`, for the names at the top. */
function patternOf(line: string): RegExp {
  const name = line.replace(/^\/|\/$/g, "");
  return new RegExp(`^${name.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
}
