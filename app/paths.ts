import { OWN_PAGES, ownPagePath } from "@/lib/page-paths";

export { SIGN_IN, TOKEN_PAGE } from "@/lib/page-paths";

/** The servers of the account, where one arrives after sign-in. */
export const DASHBOARD = "/dashboard";
/** Everything about the API, for people; whoever has no account may read it as well. */
export const API_REFERENCE = "/docs/api";

/** Where a server is added. */
export const NEW_SERVER = `${OWN_PAGES.server.under}/new`;

export function serverPath(id: number): string {
  return ownPagePath("server", id, "");
}

/** Where a server is renamed and removed and gets a new key. */
export function serverSettingsPath(id: number): string {
  return ownPagePath("server", id, "settings");
}

/** Where a benchmark of a server is asked for. */
export function benchmarkPath(id: number): string {
  return ownPagePath("server", id, "benchmark");
}

/** The question before a server is removed. */
export function removeServerPath(id: number): string {
  return ownPagePath("server", id, "remove");
}
