/** How many of the mistakes in one body are told. */
export const MAX_PROBLEMS = 10;
