import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import { CHECK_INS } from "./agent-protocols";
import { answer } from "./ask";

// Check-ins of daemons, sent to the handler, and what each answer must have.

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

export async function send(key: string | null, body: unknown, init: Init = {}) {
  const response = await answer(CHECK_INS, {
    method: init.method ?? "POST",
    headers: {
      "Content-Type": "application/json",
      ...(key !== null && { Authorization: `Bearer ${key}` }),
      ...init.headers,
    },
    body: init.method === "GET" ? null : (init.body ?? JSON.stringify(body)),
  });
  const text = await response.text();
  const { headers } = response;
  const said = ["cache-control", "x-content-type-options", "access-control-allow-origin"].map((name) =>
    headers.get(name),
  );
  const given = [...said, headers.has("x-request-id")];
  const wanted = ["no-store", "nosniff", null, true];
  // Every `expect` costs the runner a scan of all earlier steps, and this test would make thousands.
  if (!isDeepStrictEqual(given, wanted)) expect(given, text).toEqual(wanted);
  return { status: response.status, headers, text, json: JSON.parse(text) as unknown };
}
