import { OWN_PAGES, ownPagePath } from "@/lib/page-paths";

export { SIGN_IN, TOKEN_PAGE } from "@/lib/page-paths";

/** The servers of the account, where one arrives after sign-in. */
export const DASHBOARD = "/dashboard";
/** Everything about the API, for people; whoever has no account may read it as well. */
export const API_REFERENCE = "/docs/api";

/** The game services that the account owns, or that are shared with it. */
export const GAME_SERVICES = OWN_PAGES.service.under;
/** Where a game service is created. */
export const NEW_GAME_SERVICE = `${OWN_PAGES.service.under}/new`;
/** The edge nodes, for administrators. */
export const EDGE_NODES = "/dashboard/edge-nodes";

export function servicePath(id: number): string {
  return ownPagePath("service", id, "");
}

/** Where a game service is changed, enabled, disabled and deleted. */
export function serviceSettingsPath(id: number): string {
  return ownPagePath("service", id, "settings");
}

/** Who sees a game service, and with whom it is shared. */
export function serviceAccessPath(id: number): string {
  return ownPagePath("service", id, "access");
}

/** The question before a game service is deleted. */
export function deleteServicePath(id: number): string {
  return ownPagePath("service", id, "delete");
}

/** What the public hostname of a game service resolves to. */
export function serviceDnsPath(id: number): string {
  return ownPagePath("service", id, "dns");
}

/** Where people see who they are, change their password, end sessions, and choose how pages look. */
export const ACCOUNT_PAGE = "/dashboard/settings/account";

/** Where a server is added. */
export const NEW_SERVER = `${OWN_PAGES.server.under}/new`;

export function serverPath(id: number): string {
  return ownPagePath("server", id, "");
}

/** What a token did, and where it is renamed, replaced and revoked. */
export function tokenPath(id: number): string {
  return ownPagePath("token", id, "");
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
