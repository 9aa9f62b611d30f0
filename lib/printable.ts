/** Line breaks, control characters, broken surrogates, and what turns the direction of the text around it. */
export const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
