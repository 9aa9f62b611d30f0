import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";
const VERSION = "v1";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_LENGTH = 8;

/** The text was encrypted with a key that NOTICE_KEY does not hold, or is not what was encrypted. */
export class SealedTextError extends Error {
  override name = "SealedTextError";
}

/**
 * Encrypts a text for an account with the first key: `v1.KEY-ID.NONCE.CIPHERTEXT-AND-TAG`. It opens for that account alone,
 * so a row that is copied to another account opens nothing.
 */
export function seal(text: string, accountId: number, keys: readonly Buffer[]): string {
  const [key] = keys;
  if (!key) throw new SealedTextError("NOTICE_KEY is not set.");
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(`${VERSION} ${accountId}`));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return [VERSION, keyId(key), nonce.toString("base64url"), sealed.toString("base64url")].join(".");
}

/** @throws SealedTextError */
export function open(sealed: string, accountId: number, keys: readonly Buffer[]): string {
  const [version, id, nonce = "", body = ""] = sealed.split(".");
  const key = keys.find((one) => keyId(one) === id);
  if (version !== VERSION || !key) throw new SealedTextError(`NOTICE_KEY has no key with the id ${id}.`);
  const bytes = Buffer.from(body, "base64url");
  try {
    const decipher = createDecipheriv(ALGORITHM, key, Buffer.from(nonce, "base64url"), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(`${VERSION} ${accountId}`))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch {
    throw new SealedTextError("What is stored of this channel was changed, or belongs to another account.");
  }
}

/** Names a key without telling anything of it: the beginning of its SHA-256. */
export function keyId(key: Buffer): string {
  return createHash("sha256").update(key).digest("hex").slice(0, KEY_ID_LENGTH);
}
