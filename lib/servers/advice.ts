import type { Component } from "@/lib/servers/health-score";

/** What to do first about the component that costs most. */
export const ADVICE: Readonly<Record<Component, string>> = {
  cpu: "See which programs are busy with “top”, and move or limit what need not run now.",
  memory:
    "See what uses the memory with “ps aux --sort=-rss | head”, and give those programs less, or the machine more.",
  disk: "Find the largest folders with “du -xh --max-depth=2 / | sort -h | tail”, and remove or move what is not needed.",
  network:
    "Follow the way of the packets with “mtr” to a machine nearby; if only this server loses them, ask its provider.",
  stability:
    "Look for what failed with “systemctl --failed”, and for why it restarted with “journalctl -b -1 -p warning”.",
  freshness: "See whether the machine is up and its daemon runs: “systemctl status console-agent”.",
};
