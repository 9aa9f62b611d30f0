import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** A prefix + 30 random base62 characters + 6 base62 characters of their CRC-32. */
const PREFIXES = { token: "cpat_", serverKey: "csrv_", benchmarkKey: "cbench_", edgeKey: "cedg_" } as const;
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HINT_LENGTH = 4;

/**
 * The kinds of secrets. A token identifies a reader, a server key or an edge key identifies the reporting machine, and a
 * benchmark key identifies a benchmark run.
 */
type SecretKind = keyof typeof PREFIXES;

const SHAPE = new RegExp(`^([a-z]+_)([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`);
const PASTED = new RegExp(`(?:${Object.values(PREFIXES).join("|")})[0-9A-Za-z]{8}`);

/** A new raw token (or key) with 178 random bits, for its owner's eyes only. */
export function mintToken(kind: SecretKind = "token"): string {
  // randomInt rejects the values that would favour some characters.
  const random = Array.from({ length: RANDOM_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
  return PREFIXES[kind] + random + checksum(random);
}

/** Checks the shape and the checksum of a token, so that most mistakes cost no database query. */
export function isWellFormedToken(text: string, kind: SecretKind = "token"): boolean {
  const [, prefix, random, sum] = SHAPE.exec(text) ?? [];
  return prefix === PREFIXES[kind] && random !== undefined && checksum(random) === sum;
}

/** Whether the text contains a token or a key, or part of one. Secrets are pasted into the wrong fields. */
export function containsToken(text: string): boolean {
  return PASTED.test(text);
}

/**
 * Hex SHA-256 of the whole raw token: all that is stored of it. A fast hash is right here, because nobody can guess
 * 178 random bits however fast each guess is.
 */
export function hashToken(raw: string): string {
  return createHash("sha256").update(raw).digest("hex");
}

/** The last characters of a token. They tell tokens apart on a page without revealing them. */
export function tokenHint(raw: string): string {
  return raw.slice(-HINT_LENGTH);
}

function checksum(random: string): string {
  let rest = crc32(random);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % ALPHABET.length) + digits;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return digits;
}
