/**
 * The credentials of `Authorization: Bearer …` (contract 5.1), the scheme in any case; null without such a header, and
 * when nothing follows the scheme.
 */
export function bearerCredentials(headers: Headers): string | null {
  const [, credentials] = /^bearer[ \t]+(.+)$/is.exec(headers.get("authorization")?.trim() ?? "") ?? [];
  return credentials ?? null;
}

/**
 * The key of a machine, as programs that know other schemes send it: `Bearer …`, `Token …` (InfluxDB), or the password of
 * `Basic …` under any user name; null without any.
 */
export function keyCredentials(headers: Headers): string | null {
  const authorization = headers.get("authorization")?.trim() ?? "";
  const [, scheme = "", credentials = ""] = /^(bearer|token|basic)[ \t]+(.+)$/is.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== "basic") return credentials || null;
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  return pair.slice(pair.indexOf(":") + 1) || null;
}
