import { Ip } from "@/app/ui/ip";

/** Networks in a line of text, as many as there are. */
export function NetworkList({ networks }: { networks: readonly string[] }) {
  return networks.map((network, index) => (
    <span key={network}>
      {index > 0 && ", "}
      <Ip ip={network} />
    </span>
  ));
}
