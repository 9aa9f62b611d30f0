import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The text of CHANGELOG.md, which stands beside the app. Files of the project are named, because the console serves none. */
export function readChangelog(): string {
  return withoutFileLinks(readFileSync(join(process.cwd(), "CHANGELOG.md"), "utf8"));
}

/** Links to what the console does not serve become their text. */
export const withoutFileLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\((?!https?:|\/)[^)]*\)/g, "$1");
