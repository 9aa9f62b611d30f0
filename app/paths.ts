export { TOKEN_PAGE } from "@/lib/tokens/token-page";

/** The servers of the account, where one arrives after sign-in. */
export const DASHBOARD = "/dashboard";
/** Everything about the API, for people; whoever has no account may read it as well. */
export const API_REFERENCE = "/docs/api";

export const NEW_SERVER = "/dashboard/servers/new";

export function serverPath(id: number): string {
  return `/dashboard/servers/${id}`;
}

/** Where a server is renamed and removed and gets a new key. */
export function serverSettingsPath(id: number): string {
  return `${serverPath(id)}/settings`;
}

/** Where a benchmark of a server is asked for. */
export function benchmarkPath(id: number): string {
  return `${serverPath(id)}/benchmark`;
}

/** The question before a server is removed. */
export function removeServerPath(id: number): string {
  return `${serverPath(id)}/remove`;
}
