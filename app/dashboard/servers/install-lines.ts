/** What installs the daemon on a server: two lines for its terminal. The second asks for the server's key. */
export function installLines(origin: string): string {
  return `curl -fsSO ${origin}/agent.sh\nsudo sh agent.sh install ${origin}`;
}
