/** The URL in a browser of a server that listens on this host (an ip or a name): with the wildcard ips, none works. */
export function listeningOrigin(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
