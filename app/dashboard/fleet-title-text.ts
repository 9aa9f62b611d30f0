/** "(2) Servers" when two servers need somebody. */
export function fleetTitle(count: number): string {
  return count > 0 ? `(${count}) Servers` : "Servers";
}

/** The icon of the tab, with a mark when a server needs somebody. */
export function iconPath(count: number): string {
  return count > 0 ? "/favicon-alert.svg" : "/favicon.svg";
}
