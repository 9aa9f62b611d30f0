/** What a browser can be told to use; "system" follows the system's own choice. */
export const COLOR_SCHEMES = ["system", "light", "dark"] as const;

export type ColorScheme = (typeof COLOR_SCHEMES)[number];

/** The browser keeps the scheme, because one person may need different schemes on two screens. */
export const COLOR_SCHEME_COOKIE = "color-scheme";

/** The scheme that a cookie or a form names; "system" for anything else. */
export function parseColorScheme(text: string | undefined): ColorScheme {
  return COLOR_SCHEMES.find((known) => known === text) ?? "system";
}
