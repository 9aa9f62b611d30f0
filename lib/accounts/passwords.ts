import { randomBytes, randomInt, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import { EVERYBODY, fair } from "@/lib/process/fair";

export const MIN_PASSWORD_LENGTH = 12;
/** In UTF-16 units. Normalising can take time in the square of the length, so longer passwords are never normalised. */
export const MAX_PASSWORD_LENGTH = 1024;

/** 32 MiB and about 0.15 s on one core: OWASP's setting for scrypt with 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const MAX_MEMORY = 64 * 2 ** 20;
const KEY_LENGTH = 32;
const SALT_LENGTH = 16;

/** `scrypt$N$r$p$salt$key`, salt and key in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_LENGTH);
  const key = await fair("knownHashing", EVERYBODY, () => deriveKey(password, salt, COST));
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64"), key.toString("base64")].join("$");
}

/**
 * Whether the password matches the stored hash. `stored` is null when the account does not exist or has no password.
 * A missing hash and a password that is too long take as long as a wrong password, so that the time reveals nothing.
 * `isKnown`: the account has signed in from this network, which waits in a line of its own. @throws BusyError when too many
 * wait.
 */
export async function verifyPassword(password: string, stored: string | null, isKnown: boolean): Promise<boolean> {
  return fair(isKnown ? "knownHashing" : "hashing", EVERYBODY, () => isPassword(password, stored));
}

async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const isTooLong = password.length > MAX_PASSWORD_LENGTH;
  const typed = isTooLong ? "" : password;
  const [scheme, n, r, p, salt, key] = (stored ?? "").split("$");
  if (scheme !== "scrypt" || !salt || !key) {
    await deriveKey(typed, Buffer.alloc(SALT_LENGTH), COST);
    return false;
  }
  const expected = Buffer.from(key, "base64");
  const actual = await deriveKey(typed, Buffer.from(salt, "base64"), { N: Number(n), r: Number(r), p: Number(p) });
  return expected.length === actual.length && timingSafeEqual(expected, actual) && !isTooLong;
}

/** 20 characters without look-alikes, in groups of five: 100 random bits. */
export function generatePassword(): string {
  const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}

function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    // Keyboards send the same letter composed or decomposed.
    scrypt(password.normalize("NFC"), salt, KEY_LENGTH, { ...options, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}
