import * as pagePaths from "@/lib/page-paths";

/** The paths of all pages, for an administrator who has one of everything, an edge node included. */
export function everyPage(own: Readonly<Record<pagePaths.OwnKind, number>>, edgeNode: number): string[] {
  return [
    ...Object.entries(pagePaths.OWN_PAGES).flatMap(([kind, { under, pages }]) =>
      pages.map((name) => `${under}/${own[kind as pagePaths.OwnKind]}${name && `/${name}`}`),
    ),
    ...Object.values(pagePaths).filter((path) => typeof path === "string" && path !== pagePaths.NO_PAGE),
    "/",
    ...[pagePaths.edgeNodeSettingsPath(edgeNode), pagePaths.removeEdgeNodePath(edgeNode)],
    ...[pagePaths.tagsOfSeveralPath({}), pagePaths.maintenanceOfSeveralPath({})],
  ].map(String);
}
