/** The workers died again and again: starting all of them once more would change nothing. */
export const GAVE_UP = 75;
