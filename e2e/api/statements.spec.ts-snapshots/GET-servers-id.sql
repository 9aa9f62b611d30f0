select t.id as "tokenId",
  (date_part('epoch', t.expires_at) * 1000)::bigint as "expiresAt",
  (date_part('epoch', t.revoked_at) * 1000)::bigint as "revokedAt",
  (date_part('epoch', t.last_used_at) * 1000)::bigint as "lastUsedAt",
  a.id as "id",
  a.name as "name",
  a.email as "email",
  a.role as "role",
  (date_part('epoch', a.disabled_at) * 1000)::bigint as "disabledAt"
from access_tokens t
join accounts a on a.id = t.account_id
where t.token_hash = $1;

select s.id as "id",
  s.label as "label",
  s.hostname as "hostname",
  s.public_ip as "publicIp",
  (date_part('epoch', s.created_at) * 1000)::bigint as "createdAt",
  (date_part('epoch', s.last_seen_at) * 1000)::bigint as "lastSeenAt",
  s.stability - 'seen' as "stability",
  s.facts -> 'cores' as "cores",
  (date_part('epoch', t.ts) * 1000)::bigint as "ts",
  t.cpu_pct as "cpuPct",
  t.cpu_steal_pct as "cpuStealPct",
  t.cpu_iowait_pct as "cpuIowaitPct",
  t.load5 as "load5",
  t.mem_used_mb as "memUsedMb",
  t.mem_total_mb as "memTotalMb",
  t.swap_used_pct as "swapUsedPct",
  t.disk_used_pct as "diskUsedPct",
  t.net_loss_pct as "netLossPct",
  t.net_retransmit_pct as "netRetransmitPct",
  t.oom_kills as "oomKills",
  s.facts as "facts"
from servers s
left
join lateral ( select *
from telemetry_samples newest
where newest.server_id = s.id
order by newest.ts desc limit 1) t on true
where s.id = $1 and s.account_id = $2;
