/** What to paste as root on a new edge node, and the second part after its key is on its disk. */
export function setUpLines(origin: string): { prepare: string; start: string } {
  return {
    prepare: `curl -fsSO ${origin}/edge.mjs
install -d -m 755 /run/console-edge /var/lib/console-edge /etc/console-edge
install -D -m 644 edge.mjs /usr/local/lib/console-edge/edge.mjs
touch /run/console-edge/hosts.map
node edge.mjs haproxy-config --slots 512 > /etc/haproxy/haproxy.cfg
systemctl restart haproxy
(umask 077 && cat > /etc/console-edge/key)`,
    start: `node /usr/local/lib/console-edge/edge.mjs unit ${origin} | sh
systemctl daemon-reload
systemctl enable --now console-edge`,
  };
}
