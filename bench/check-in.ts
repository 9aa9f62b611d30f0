/** What a daemon sends every 30 seconds, without the time. */
const MEASURED = {
  daemon: "0123456789abcdef",
  cpu_pct: 12.5,
  cpu_steal_pct: 0.4,
  cpu_iowait_pct: 1.2,
  load5: 0.8,
  mem_used_mb: 9000,
  mem_total_mb: 16_000,
  swap_used_pct: 0,
  disk_used_pct: 61.3,
  net_loss_pct: 0,
  net_retransmit_pct: 0.2,
  uptime_s: 95_000,
  oom_kills: 0,
  failed_units: 0,
  facts: { os: "Debian GNU/Linux 12", kernel: "6.1.0-28-amd64", cores: 8, cpu: "AMD EPYC", memory_mb: 16_000 },
};

export const CHECK_IN = JSON.stringify(MEASURED);

/** The same with the time of the sample, in epoch milliseconds. */
export function checkInAt(ms: number): string {
  return JSON.stringify({ sampled_at: ms, ...MEASURED });
}
