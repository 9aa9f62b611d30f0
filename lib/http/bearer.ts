/**
 * The credentials of `Authorization: Bearer …` (contract 5.1), the scheme in any case; null without such a header, and
 * when nothing follows the scheme.
 */
export function bearerCredentials(headers: Headers): string | null {
  const [, credentials] = /^bearer[ \t]+(.+)$/is.exec(headers.get("authorization")?.trim() ?? "") ?? [];
  return credentials ?? null;
}
