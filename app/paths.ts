/** The servers of the account, where one arrives after sign-in. */
export const DASHBOARD = "/dashboard";
/** Where people manage their tokens (spec 5.3). */
export const TOKEN_PAGE = "/dashboard/settings/api";
