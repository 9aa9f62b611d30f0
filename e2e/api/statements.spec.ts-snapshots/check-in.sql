select k.id as "keyId",
  k.server_id as "serverId",
  a.id as "accountId"
from server_keys k
join servers s on s.id = k.server_id
join accounts a on a.id = s.account_id
where k.key_hash = $1 and (k.expires_at is null or k.expires_at > $2) and a.disabled_at is null;

select (date_part('epoch', s.last_seen_at) * 1000)::bigint as "lastSeenAt",
  (date_part('epoch', s.created_at) * 1000)::bigint as "createdAt",
  s.stability as "stability",
  s.conditions as "conditions",
  md5(concat(s.stability,
  s.conditions)) as "stateMd5",
  s.facts -> 'cores' as "cores",
  s.daemon as "daemon",
  s.daemon_before as "daemonBefore",
  (date_part('epoch', s.two_daemons_at) * 1000)::bigint as "twoDaemonsAt",
  (date_part('epoch', case when s.latest_sample_at > $1 then ( select min(t.ts)
from telemetry_samples t
where t.server_id = s.id and t.ts > $1 and t.ts <= $4) end) * 1000)::bigint as "sampledAfter",
  case when s.latest_sample_at < $1 then (s.latest_sample ->> 'uptime_s')::float8 else (select t.uptime_s
from telemetry_samples t
where t.server_id = s.id and t.ts >= $3 and t.ts < $1
order by t.ts desc limit 1) end as "uptimeBefore",
  case when s.latest_sample_at > $1 then ( select t.uptime_s
from telemetry_samples t
where t.server_id = s.id and t.ts > $1 and t.ts <= $4
order by t.ts limit 1) end as "uptimeAfter",
  (date_part('epoch', (case when s.latest_sample_at >= $5 then ( select t.ts
from telemetry_samples t
where t.server_id = s.id and t.ts >= $5 and t.ts < $6
order by t.ts = $1 desc,
  t.ts limit 1) end)) * 1000)::bigint as "storedTs",
  (date_part('epoch', s.latest_sample_at) * 1000)::bigint as "newestTs",
  case when s.last_seen_at < $7 then (select json_agg(json_build_array((date_part('epoch', b.started_at) * 1000)::bigint,
  (date_part('epoch', b.ended_at) * 1000)::bigint))
from blind_times b
where b.ended_at is null or b.ended_at > s.last_seen_at) end as "blind",
  (date_part('epoch', case when s.last_seen_at < $7 then (select p.until
from console_presence p
where p.id = 1) end) * 1000)::bigint as "presentUntil",
  ( select json_agg(json_build_array(e.kind,
  (date_part('epoch', e.started_at) * 1000)::bigint,
  (date_part('epoch', e.ended_at) * 1000)::bigint)
order by e.started_at)
from ( select *
from server_events e
where e.server_id = $2 and e.started_at <= $9::timestamptz and e.kind in ('offline',
  'unknown',
  'unreachable')
order by e.started_at desc limit 20) e
where e.ended_at >= $8::timestamptz) as "silences"
from servers s
where s.id = $2;

with same as ( select s.id as id,
  s.facts as facts
from servers s
where s.id = $1 and s.last_seen_at = $2 and md5(concat(s.stability,
  s.conditions)) = $3::text for no key update),
  added as (insert into telemetry_samples as t (server_id,
  ts,
  cpu_pct,
  cpu_steal_pct,
  cpu_iowait_pct,
  load5,
  mem_used_mb,
  mem_total_mb,
  swap_used_pct,
  disk_used_pct,
  net_loss_pct,
  net_retransmit_pct,
  uptime_s,
  oom_kills,
  failed_units,
  arrived_at,
  cores) select id,
  $26,
  $27,
  $28,
  $29,
  $30,
  $31,
  $32,
  $33,
  $34,
  $35,
  $36,
  $37,
  $38,
  $39,
  $40,
  coalesce($41,
  case when jsonb_typeof(facts -> 'cores') = 'number' then nullif(least(greatest((facts ->> 'cores')::numeric,
  0),
  1e6),
  0)::float8 end)
from same
on conflict (server_id,
  ts) do nothing returning t.server_id as id,
  t.ts as ts,
  (to_jsonb(t) - '{server_id,ts}'::text[])::json as sample),
  used as ( update server_keys k
set last_used_at = $6,
  last_used_ip = $5
where k.id = $4::int and (k.last_used_at is null or k.last_used_at <= $7) and exists (select
from added)),
  happened as ( insert into server_events as e (server_id,
  kind,
  started_at,
  ended_at,
  facts) select added.id,
  w.kind,
  w.started_at,
  w.ended_at,
  w.facts::jsonb
from added,
  unnest($19::text[],
  $20::timestamptz[],
  $21::timestamptz[],
  $22::text[]) as w (kind,
  started_at,
  ended_at,
  facts)
on conflict (server_id,
  started_at,
  kind) do update
set ended_at = excluded.ended_at,
  facts = case when e.kind = 'process_killed' then jsonb_build_object('count',
  least(1000000,
  coalesce((e.facts ->> 'count')::int,
  0) + coalesce((excluded.facts ->> 'count')::int,
  0))) else e.facts || excluded.facts end),
  works as ( update server_events e
set ended_at = $25::timestamptz
from added
where e.server_id = added.id and e.started_at <= $25::timestamptz and e.kind = 'unit_failed' and coalesce(e.ended_at,
  'infinity') = 'infinity'),
  unhappened as ( delete
from server_events e using added
where e.server_id = added.id and e.kind in ('offline',
  'unknown',
  'unreachable') and e.started_at >= $23::timestamptz and e.started_at < $24::timestamptz and not exists (select
from unnest($19::text[],
  $20::timestamptz[]) w (kind,
  started_at)
where w.kind = e.kind and w.started_at = e.started_at)),
  changed as ( update servers s
set last_seen_at = $8,
  first_seen_at = case when s.first_seen_at is not null then greatest(s.created_at,
  least(s.first_seen_at,
  $9)) when s.last_seen_at = s.created_at and s.latest_sample_at is null then greatest(s.created_at,
  $9) end,
  stability = $10::jsonb,
  conditions = $11::jsonb,
  facts = coalesce($12::jsonb,
  s.facts),
  public_ip = case when $13::boolean then $14 else s.public_ip end,
  hostname = case when s.hostname = '' then coalesce($15::text,
  '') else s.hostname end,
  daemon = $16,
  daemon_before = $17,
  two_daemons_at = $18,
  latest_sample_at = case when s.latest_sample_at is null or s.latest_sample_at < added.ts then added.ts else s.latest_sample_at end,
  latest_sample = case when s.latest_sample_at is null or s.latest_sample_at < added.ts then added.sample else s.latest_sample end
from added
where s.id = added.id) select exists (select
from same) as "wasSame",
  exists (select
from added) as "wasNew";
