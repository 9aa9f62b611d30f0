/** The cookie in which a browser says its own time zone, for accounts that have chosen none. */
export const BROWSER_ZONE_COOKIE = "zone";
