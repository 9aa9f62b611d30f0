import { randomBytes, randomInt, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";

export const MIN_PASSWORD_LENGTH = 12;

/** 32 MiB and about 0.15 s on one core: OWASP's setting for scrypt with 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const MAX_MEMORY = 64 * 2 ** 20;
const KEY_LENGTH = 32;
const SALT_LENGTH = 16;

/** Each hash takes 32 MiB; beyond this many at once the rest wait. */
const MAX_CONCURRENT = 4;

let active = 0;
const waiting: (() => void)[] = [];

/** `scrypt$N$r$p$salt$key`, salt and key in base64. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_LENGTH);
  const key = await deriveKey(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64"), key.toString("base64")].join("$");
}

/**
 * Whether the password is the one that was hashed. Null stands for an account without a password, or no account at
 * all: false, after the same time as a wrong password.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [scheme, n, r, p, salt, key] = (stored ?? "").split("$");
  if (scheme !== "scrypt" || !salt || !key) {
    await deriveKey(password, Buffer.alloc(SALT_LENGTH), COST);
    return false;
  }
  const expected = Buffer.from(key, "base64");
  const actual = await deriveKey(password, Buffer.from(salt, "base64"), { N: Number(n), r: Number(r), p: Number(p) });
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

/** 20 characters without look-alikes, in groups of five: 100 random bits. */
export function generatePassword(): string {
  const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
  const group = () => Array.from({ length: 5 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return [group(), group(), group(), group()].join("-");
}

async function deriveKey(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  if (active >= MAX_CONCURRENT) await new Promise<void>((resolve) => waiting.push(resolve));
  else active++;
  try {
    return await new Promise<Buffer>((resolve, reject) =>
      // One and the same password may be typed composed or decomposed.
      scrypt(password.normalize("NFC"), salt, KEY_LENGTH, { ...options, maxmem: MAX_MEMORY }, (error, key) =>
        error ? reject(error) : resolve(key),
      ),
    );
  } finally {
    const next = waiting.shift();
    if (next) next();
    else active--;
  }
}
