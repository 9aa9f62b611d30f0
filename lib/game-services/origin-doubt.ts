import { isIP } from "node:net";
import { db } from "@/lib/database/client";
import { lookUp } from "./dns-hint";
import { isPrivateOrigin } from "./origins";
import { checkService, type ServiceInput, type ServiceRules } from "./service-input";

/** `host`: what the owner confirms by sending it along with the same form. */
type OriginDoubt = { host: string; message: string };

/**
 * Looks up the name of a new origin before it is saved, because players cannot reach a mistyped name. Null without a
 * doubt: the origin is an IP or the present origin of service `id`, or DNS does not answer the console.
 */
export async function originDoubt(
  accountId: number,
  id: number | null,
  input: ServiceInput,
  rules: ServiceRules,
): Promise<OriginDoubt | null> {
  const checked = checkService(input, rules);
  if (checked.kind === "invalid") return null;
  const host = checked.service.originHost.toLowerCase();
  if (isIP(host) !== 0) return null;
  const current =
    id === null ? null : await db.gameService.findFirst({ where: { id, accountId }, select: { originHost: true } });
  if (current?.originHost.toLowerCase() === host) return null;
  const ips = await ipsOf(accountId, host);
  if (ips === null) return null;
  if (ips.length === 0) return { host, message: `${host} cannot be found in DNS. Save it anyway?` };
  const isReachable = rules.allowPrivateOrigins || ips.some((ip) => !isPrivateOrigin(ip));
  return isReachable
    ? null
    : { host, message: `${host} is a private ip, which edge nodes do not serve. Save it anyway?` };
}

/** Null: not known. */
async function ipsOf(accountId: number, host: string): Promise<string[] | null> {
  // There never is such a name (RFC 6761), so no server is asked.
  if (host.endsWith(".invalid")) return [];
  const records = await lookUp(accountId, host);
  if (!records || (records.A === null && records.AAAA === null)) return null;
  const ips = [...(records.A ?? []), ...(records.AAAA ?? [])];
  return ips.length > 0 || (records.A !== null && records.AAAA !== null) ? ips : null;
}
