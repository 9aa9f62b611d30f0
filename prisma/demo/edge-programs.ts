import { spawnSync } from "node:child_process";
import { PlainError } from "@/lib/failures";

/** The table in which edge.mjs counts packets. */
export const NFT_TABLE = ["inet", "console_edge"];

/** @throws PlainError when this machine cannot be an edge node. */
export function requireEdgePrograms(): void {
  if (process.getuid?.() !== 0) throw new PlainError("--edge needs root, because a node counts packets with nftables.");
  for (const [program, ...args] of [
    ["haproxy", "-v"],
    ["nft", "--version"],
  ] as const) {
    if (spawnSync(program, args).status !== 0) throw new PlainError(`--edge needs ${program}, which is not installed.`);
  }
  if (spawnSync("nft", ["list", "table", ...NFT_TABLE]).status === 0) {
    throw new PlainError("This machine is an edge node already: there is an nftables table inet console_edge.");
  }
}
