/** Where people manage their tokens (spec 5.3). */
export const TOKEN_PAGE = "/dashboard/settings/api";
