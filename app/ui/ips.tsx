import { Ip } from "./ip";

/** Ips, networks or hostnames in a line of text, as many as there are. */
export function Ips({ ips }: { ips: readonly string[] }) {
  return ips.map((ip, index) => (
    <span key={ip}>
      {index > 0 && ", "}
      <Ip ip={ip} />
    </span>
  ));
}
