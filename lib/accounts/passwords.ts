import { randomBytes, randomInt, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import type { Payer } from "@/lib/admission/admission";
import { PURPOSES, withPlace } from "@/lib/admission/shares";

export const MIN_PASSWORD_LENGTH = 12;
/** In UTF-16 units. Normalising a text may take the square of its length, so no longer one is ever looked at. */
export const MAX_PASSWORD_LENGTH = 1024;

/** 32 MiB and about 0.15 s on one core: OWASP's setting for scrypt with 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const MAX_MEMORY = 64 * 2 ** 20;
const KEY_LENGTH = 32;
const SALT_LENGTH = 16;

/** `scrypt$N$r$p$salt$key`, salt and key in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_LENGTH);
  const key = await withPlace(PURPOSES.newPassword, "console", "", () => deriveKey(password, salt, COST));
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64"), key.toString("base64")].join("$");
}

/**
 * Whether the password is the one that was hashed. Null stands for an account without a password, or no account at
 * all: false, after the same time as a wrong password. So is one that is too long to have been set. It is judged in the
 * turn of the payer. @throws BusyError when too many wait.
 */
export async function verifyPassword(password: string, stored: string | null, payer: Payer): Promise<boolean> {
  return withPlace(PURPOSES.password, payer, "", () => isPassword(password, stored));
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
    // One and the same password may be typed composed or decomposed.
    scrypt(password.normalize("NFC"), salt, KEY_LENGTH, { ...options, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  );
}
