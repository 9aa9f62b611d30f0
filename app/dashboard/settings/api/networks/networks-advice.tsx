import { Ip } from "@/app/ui/ip";
import { Notice } from "@/app/ui/notice";
import { MAX_NETWORKS } from "@/lib/tokens/networks";

// Written by the server alone: the field stands in forms, whose scripts every page of tokens loads.

/** What may be typed as networks. `ip`: of the sender of this page's request, null if unknown. */
export function NetworksHint({ ip }: { ip: string | null }) {
  return (
    <>
      Up to {MAX_NETWORKS}, one on each line, such as 203.0.113.0/24 or 2001:db8::/32. Without any it works from
      everywhere.
      {ip !== null && (
        <>
          {" "}
          This page was opened from <Ip ip={ip} />.
        </>
      )}
    </>
  );
}

/** What networks would do where every request seems to come from a proxy. */
export function ProxyWarning({ ip }: { ip: string | null }) {
  return (
    <Notice tone="warning" isQuiet>
      The console may not see where requests come from: {ip === null ? "it knows no ip of yours" : <Ip ip={ip} />}
      {ip !== null && " may be the ip of a proxy in front of it"}. A token would then be refused everywhere, or work
      from everywhere behind that proxy. The operator of the console sets this right with TRUSTED_PROXIES.
    </Notice>
  );
}
