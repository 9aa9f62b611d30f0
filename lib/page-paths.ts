// The paths of pages that rooms under lib/ name too. `app/paths.ts` has the others; `app/paths.test.ts` compares all of
// them with the folders of app/.

/** Where people sign in. */
export const SIGN_IN = "/sign-in";

/** Where no page is: before the path of a thing that the account does not have, it leads to the 404 that names it. */
export const NO_PAGE = "/dashboard/no-such-page";

/** Where people manage their tokens (contract 5.3); the document of the API names it as well. */
export const TOKEN_PAGE = "/dashboard/settings/api";

/**
 * The pages of one thing that an account owns: they stand under `under` and the id. `besideIds` are the names of other
 * pages in the place of an id, and `pages` are the pages under the id; "" is the first of them.
 */
export const OWN_PAGES = {
  server: { under: "/dashboard/servers", besideIds: ["new"], pages: ["", "benchmark", "remove", "settings"] },
  service: {
    under: "/dashboard/game-services",
    besideIds: ["new"],
    pages: ["", "access", "delete", "dns", "settings"],
  },
  token: { under: TOKEN_PAGE, besideIds: ["first-use"], pages: [""] },
} as const;

export type OwnKind = keyof typeof OWN_PAGES;
type OwnPage<Kind extends OwnKind> = (typeof OWN_PAGES)[Kind]["pages"][number];

/** The path of a page of one thing. */
export function ownPagePath<Kind extends OwnKind>(kind: Kind, id: number, page: OwnPage<Kind>): string {
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
