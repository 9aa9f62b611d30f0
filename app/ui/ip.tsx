/** " from 192.0.2.1 (curl/8.5.0)": where something came from and by which program, as far as it is known. */
export function From({ ip, program }: { ip: string | null | undefined; program?: string | null }) {
  return (
    <>
      {ip && " from "}
      {ip && <Ip ip={ip} />}
      {program && ` (${program})`}
    </>
  );
}

/** An ip, a network or a hostname. Ips may be broken after their colons, and nowhere else. */
export function Ip({ ip }: { ip: string }) {
  if (/[g-z]/i.test(ip)) return <span translate="no">{ip}</span>;
  const parts = ip.split(":");
  return (
    <span className="ip" translate="no">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one ip stay in their places
        <span key={index}>
          {part}
          {index < parts.length - 1 && (
            <>
              :<wbr />
            </>
          )}
        </span>
      ))}
    </span>
  );
}
