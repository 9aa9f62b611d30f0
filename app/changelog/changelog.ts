import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A version of the changelog. A group without a name holds what stands before the first one. */
type Release = { title: string; groups: { title: string; items: string[] }[] };

/** The text of CHANGELOG.md, which stands beside the app. Files of the project are named, because the console serves none. */
export function readChangelog(): string {
  return withoutFileLinks(readFileSync(join(process.cwd(), "CHANGELOG.md"), "utf8"));
}

/** Links to what the console does not serve become their text. */
export const withoutFileLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\((?!https?:|\/)[^)]*\)/g, "$1");

/** The releases of a changelog, the newest first: headings, and lists whose items may have several lines. */
export function parseChangelog(text: string): Release[] {
  const releases: Release[] = [];
  for (const line of text.split("\n")) {
    const [, version] = /^## (.+)$/.exec(line) ?? [];
    const [, group] = /^### (.+)$/.exec(line) ?? [];
    const release = releases.at(-1);
    if (version !== undefined) releases.push({ title: version, groups: [{ title: "", items: [] }] });
    else if (!release) continue;
    else if (group !== undefined) release.groups.push({ title: group, items: [] });
    else addLine(release.groups.at(-1)?.items ?? [], line);
  }
  return releases.map(({ title, groups }) => ({
    title,
    groups: groups.filter(({ items }) => items.length > 0),
  }));
}

/** An item begins with a dash. An indented line continues it; any other line is a paragraph. */
function addLine(items: string[], line: string): void {
  const text = line.trim();
  if (text === "") return;
  if (line.startsWith("- ")) items.push(text.slice(2));
  else if (line.startsWith("  ") && items.length > 0) items.push(`${items.pop()} ${text}`);
  else items.push(text);
}
