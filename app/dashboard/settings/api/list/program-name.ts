const MAX_LENGTH = 40;

/** "curl/8.5.0" of all that a program says about itself. Browsers all begin alike, with a name that is not theirs. */
export function programName(agent: string | null): string | null {
  const name = agent?.split(" ")[0];
  if (!name) return null;
  return name.startsWith("Mozilla/") ? "a browser" : name.slice(0, MAX_LENGTH);
}
