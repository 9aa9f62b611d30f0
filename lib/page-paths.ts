// The paths of all pages. It stands under lib/, because rooms there name some of them. `page-paths.test.ts` compares them
// with the folders of app/.

/** Where people sign in. */
export const SIGN_IN = "/sign-in";

/** A prefix without pages. Before the path of a thing that the account does not have, it leads to the 404 of that thing. */
export const NO_PAGE = "/dashboard/no-such-page";

/** Where people manage their tokens (contract 5.3); the document of the API names it as well. */
export const TOKEN_PAGE = "/dashboard/settings/api";

/**
 * The pages of one thing that an account owns: they stand under `under` and the id. `besideIds` are the names of other
 * pages in the place of an id, and `pages` are the pages under the id; "" is the first of them.
 */
export const OWN_PAGES = {
  server: {
    under: "/dashboard/servers",
    besideIds: ["maintenance", "new", "tags"],
    pages: ["", "benchmark", "remove", "settings"],
  },
  service: {
    under: "/dashboard/game-services",
    besideIds: ["new", "support"],
    pages: ["", "access", "delete", "disable", "dns", "settings"],
  },
  token: { under: TOKEN_PAGE, besideIds: ["first-use"], pages: [""] },
} as const;

export type OwnKind = keyof typeof OWN_PAGES;
type OwnPage<Kind extends OwnKind> = (typeof OWN_PAGES)[Kind]["pages"][number];

/** The path of a page of one thing. */
function ownPagePath<Kind extends OwnKind>(kind: Kind, id: number, page: OwnPage<Kind>): string {
  return `${OWN_PAGES[kind].under}/${id}${page === "" ? "" : `/${page}`}`;
}

/** The thing whose page a path names, with the text in the place of its id; null for every other path. */
export function findOwnPage(path: string): { kind: OwnKind; id: string } | null {
  for (const kind of Object.keys(OWN_PAGES) as OwnKind[]) {
    const { under, besideIds, pages } = OWN_PAGES[kind];
    const [, id, page] = /^\/([^/%]+)(?:\/(.+))?$/.exec(path.startsWith(under) ? path.slice(under.length) : "") ?? [];
    const isOther = (besideIds as readonly string[]).includes(id ?? "");
    if (id !== undefined && !isOther && (pages as readonly string[]).includes(page ?? "")) return { kind, id };
  }
  return null;
}

/** The servers of the account, where one arrives after sign-in. */
export const DASHBOARD = "/dashboard";
/** Everything about the API, for people; people without an account read it too. */
export const API_REFERENCE = "/docs/api";
/** What users of the API and operators notice of each version. */
export const CHANGELOG = "/changelog";

/** The game services that the account owns, or that are shared with it. */
export const GAME_SERVICES = OWN_PAGES.service.under;
/** Where a game service is created. */
export const NEW_GAME_SERVICE = `${OWN_PAGES.service.under}/new`;
/** Where support staff find the game services of others. */
export const SUPPORT = `${OWN_PAGES.service.under}/support`;
/** The edge nodes, for administrators. */
export const EDGE_NODES = "/dashboard/edge-nodes";

/** Where an edge node is added. */
export const NEW_EDGE_NODE = `${EDGE_NODES}/new`;
/** Where an edge node is renamed, and its key replaced. */
export const edgeNodeSettingsPath = (id: number) => `${EDGE_NODES}/settings?node=${id}`;
/** The question before an edge node is removed. */
export const removeEdgeNodePath = (id: number) => `${EDGE_NODES}/remove?node=${id}`;

/** The row of an edge node. */
export const edgeNodePath = (id: number) => `${EDGE_NODES}#node-${id}`;

export const servicePath = (id: number) => ownPagePath("service", id, "");

/** Where a game service is changed, disabled and deleted. */
export const serviceSettingsPath = (id: number) => ownPagePath("service", id, "settings");

/** Who sees a game service, and with whom it is shared. */
export const serviceAccessPath = (id: number) => ownPagePath("service", id, "access");

/** The question before a game service is disabled. */
export const disableServicePath = (id: number) => ownPagePath("service", id, "disable");

/** The question before a game service is deleted. */
export const deleteServicePath = (id: number) => ownPagePath("service", id, "delete");

/** What the public hostname of a game service resolves to. */
export const serviceDnsPath = (id: number) => ownPagePath("service", id, "dns");

/** Where people see who they are, change their password, end sessions, and choose how pages look. */
export const ACCOUNT_PAGE = "/dashboard/settings/account";

/** Which notices an account gets, and by which channels. */
export const NOTICE_PAGE = "/dashboard/settings/notices";
/** Where the link in a mail leads that asks whether an address is right. */
export const CONFIRM_ADDRESS = "/notices/confirm";
/** Where the link in a mail leads that ends those mails. */
export const UNSUBSCRIBE = "/notices/unsubscribe";

/** Where a server is added. */
export const NEW_SERVER = `${OWN_PAGES.server.under}/new`;

/** Where tags of several servers are changed at once, of a list of the fleet. */
export const tagsOfSeveralPath = (list: ListParams) => severalServersPath("tags", list);
/** Where maintenance of several servers is planned at once, of a list of the fleet. */
export const maintenanceOfSeveralPath = (list: ListParams) => severalServersPath("maintenance", list);

/** The query of the fleet, as a URL says it. */
type ListParams = Readonly<Record<string, string>>;

function severalServersPath(what: "tags" | "maintenance", list: ListParams): string {
  const params = new URLSearchParams(list);
  return `${OWN_PAGES.server.under}/${what}${params.size > 0 ? `?${params}` : ""}`;
}

export const serverPath = (id: number) => ownPagePath("server", id, "");

/** What a token did, and where it is renamed, replaced and revoked. */
export const tokenPath = (id: number) => ownPagePath("token", id, "");

/** Where a server is renamed and removed and gets a new key. */
export const serverSettingsPath = (id: number) => ownPagePath("server", id, "settings");

/** Where a benchmark of a server is asked for. */
export const benchmarkPath = (id: number) => ownPagePath("server", id, "benchmark");

/** The question before a server is removed. */
export const removeServerPath = (id: number) => ownPagePath("server", id, "remove");
