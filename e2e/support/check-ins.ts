import { CHECK_INS } from "./agent-protocols";
import { send as sendTo } from "./agent-requests";

// Check-ins of daemons, sent to the handler.

export const sample = {
  cpu_pct: 12.5,
  cpu_steal_pct: 0.1,
  cpu_iowait_pct: 1,
  load5: 0.4,
  mem_used_mb: 900,
  mem_total_mb: 4096,
  swap_used_pct: 0,
  disk_used_pct: 41,
  net_loss_pct: 0,
  net_retransmit_pct: 0.2,
  uptime_s: 5000,
  oom_kills: 0,
  failed_units: 0,
};
export const facts = { os: "Debian GNU/Linux 13", kernel: "6.12.48", cores: 2 };

type Init = { headers?: Record<string, string>; body?: string; method?: string };

export const send = (
  key: string | null,
  body: unknown,
  { headers, method, body: raw = JSON.stringify(body) }: Init = {},
) => sendTo(CHECK_INS, key, raw, headers, method);
