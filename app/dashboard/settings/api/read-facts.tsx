import { headers } from "next/headers";
import { pageOrigin } from "@/app/ui/page-origin";
import { clientIp, mayBeProxyIp } from "@/lib/http/client-ip";
import { env } from "@/lib/process/env";
import { needsPassword } from "@/lib/sign-in/confirmation";
import { MAX_TOKEN_NAME_LENGTH } from "@/lib/tokens/name";
import { MAX_NETWORKS_TEXT } from "@/lib/tokens/networks";
import { NetworksHint, ProxyWarning } from "./networks/networks-advice";

/** What the forms of a token page ask and say alike. */
export type Facts = Awaited<ReturnType<typeof readFacts>>;

/** Reads what the forms of a token page need. `now`: when the page was made. */
export async function readFacts(now: Date) {
  const [received, origin, asksPassword] = await Promise.all([headers(), pageOrigin(), needsPassword()]);
  const ip = clientIp(received, env.trustedProxies);
  const mayBeProxy = mayBeProxyIp(received, env.trustedProxies, origin.startsWith("https:"));
  return {
    now,
    /** Where the API is. */
    origin,
    /** The last sign-in is too long ago for what needs the password. */
    asksPassword,
    networksHint: <NetworksHint ip={ip} />,
    proxyWarning: mayBeProxy && <ProxyWarning ip={ip} />,
    maxNameLength: MAX_TOKEN_NAME_LENGTH,
    maxNetworksText: MAX_NETWORKS_TEXT,
  };
}
