const MAX_LENGTH = 40;

/** Returns the first product of a user agent, such as "curl/8.5.0". All browsers begin with the same misleading name. */
export function programName(agent: string | null): string | null {
  const name = agent?.split(" ")[0];
  if (!name) return null;
  return name.startsWith("Mozilla/") ? "a browser" : name.slice(0, MAX_LENGTH);
}
