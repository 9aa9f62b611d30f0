/** Where people manage their tokens in the console (spec 5.3): a page, which the document of the API names as well. */
export const TOKEN_PAGE = "/dashboard/settings/api";
