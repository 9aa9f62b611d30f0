/** Another number makes other tests of the same kind. */
const SEED = 1;

/** A number in [0, 1) that depends on its keys alone, which are whole numbers. */
export function randomAt(...keys: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const key of [SEED, ...keys]) {
    hash = Math.imul(hash ^ key, 0x85ebca6b);
    hash ^= hash >>> 13;
    hash = Math.imul(hash, 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}
