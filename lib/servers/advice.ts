import type { Cause, CauseKind } from "@/lib/servers/health-score";

const FEWER_BUSY = "See which programs are busy with “top”, and move or limit what need not run now.";
const MORE_MEMORY =
  "See what uses the memory with “ps aux --sort=-rss | head”, and give those programs less, or the machine more.";
const KILLED =
  "See which program was killed with “journalctl -k -g 'Out of memory'”, and give it less to do, or the machine more memory.";
const IS_UP = "See whether the machine is up and its daemon runs: “systemctl status console-agent”.";

/** What to do first about what took points off the score. */
export const ADVICE: Readonly<Record<CauseKind, string>> = {
  notReported:
    "The agent of this server does not measure it. The console's own daemon measures everything; the server's settings show how to install it.",
  old: IS_UP,
  busy: FEWER_BUSY,
  stolen: "The host gives its cores to other guests: ask the provider for another host, or for cores of your own.",
  waiting: "See which programs wait for disks with “iotop -oPa”, and move or limit what reads and writes most.",
  loaded: FEWER_BUSY,
  used: MORE_MEMORY,
  swapped: MORE_MEMORY,
  outOfMemory: KILLED,
  full: "Find the largest folders with “du -xh --max-depth=2 / | sort -h | tail”, and remove or move what is not needed.",
  lost: "Follow the way of the packets with “mtr” to a machine nearby; if only this server loses them, ask its provider.",
  retransmitted:
    "See which connections lose packets with “ss -ti”, and follow their way with “mtr”; if only this server loses them, ask its provider.",
  silent:
    "Check-ins were missing: see whether the machine was up with “last -x | head”, and what its daemon says with “journalctl -u console-agent”.",
  restarts: "See why the machine restarted with “journalctl -b -1 -p warning”.",
  oomKills: KILLED,
  failedUnits: "See what failed with “systemctl --failed”, and why with “journalctl -u” and its name.",
  lateCheckIn: IS_UP,
};

/** The cause that took the most points; null when there is none. */
export function worstCause(causes: readonly Cause[]): Cause | null {
  return causes.reduce((worst: Cause | null, cause) => (worst && worst.lost >= cause.lost ? worst : cause), null);
}
