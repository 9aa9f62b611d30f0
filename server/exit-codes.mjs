/** Too many workers died. Starting the server again would not help. */
export const GAVE_UP = 75;
