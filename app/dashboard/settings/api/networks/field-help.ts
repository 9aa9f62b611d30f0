import { headers } from "next/headers";
import { pageOrigin } from "@/app/ui/page-origin";
import { clientIp, mayBeProxyIp } from "@/lib/http/client-ip";
import { env } from "@/lib/process/env";
import { MAX_NETWORKS, MAX_NETWORKS_TEXT } from "@/lib/tokens/networks";

/** What the field of networks says beside it. `ip`: the sender of this page's request, null if unknown. */
export type NetworksHelp = { most: number; maxLength: number; ip: string | null; mayBeProxy: boolean };

/** What the console can tell the person who opened the page. */
export async function networksHelp(): Promise<NetworksHelp> {
  const [received, origin] = await Promise.all([headers(), pageOrigin()]);
  return {
    most: MAX_NETWORKS,
    maxLength: MAX_NETWORKS_TEXT,
    ip: clientIp(received, env.trustedProxies),
    mayBeProxy: mayBeProxyIp(received, env.trustedProxies, origin.startsWith("https:")),
  };
}
