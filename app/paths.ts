/** Where people manage their tokens (spec 5.3). */
export const SETTINGS_API = "/dashboard/settings/api";
