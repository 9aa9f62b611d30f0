select t.id as "tokenId",
  (date_part('epoch', t.expires_at) * 1000)::bigint as "expiresAt",
  (date_part('epoch', t.revoked_at) * 1000)::bigint as "revokedAt",
  t.networks as "networks",
  (date_part('epoch', t.last_used_at) * 1000)::bigint as "lastUsedAt",
  a.id as "id",
  a.name as "name",
  a.email as "email",
  a.role as "role",
  (date_part('epoch', a.disabled_at) * 1000)::bigint as "disabledAt"
from access_tokens t
join accounts a on a.id = t.account_id
where t.token_hash = $1;

select string_agg(concat_ws(',',
  s.id,
  to_json(s.label),
  to_json(s.hostname),
  coalesce(to_json(s.public_ip)::text,
  'null'),
  (date_part('epoch', s.created_at) * 1000)::bigint,
  coalesce(((date_part('epoch', s.first_seen_at) * 1000)::bigint)::text,
  'null'),
  (date_part('epoch', s.last_seen_at) * 1000)::bigint,
  s.stability - 'seen',
  coalesce((s.facts -> 'cores')::text,
  'null'),
  coalesce(((date_part('epoch', s.latest_sample_at) * 1000)::bigint)::text,
  'null'),
  coalesce((s.latest_sample)::text,
  'null'),
  coalesce(to_json(s.tags),
  '[]')),
  '],['
order by s.id) as "rows",
  (select json_agg(json_build_array((date_part('epoch', b.started_at) * 1000)::bigint,
  (date_part('epoch', b.ended_at) * 1000)::bigint))
from blind_times b
where b.ended_at is null or b.ended_at > $2::timestamptz) as "blind",
  (date_part('epoch', (select p.until
from console_presence p
where p.id = 1)) * 1000)::bigint as "presentUntil",
  ( select json_agg(json_build_array(s.id,
  day.silences,
  ( select json_agg(json_build_array((date_part('epoch', m.started_at) * 1000)::bigint,
  (date_part('epoch', m.ended_at) * 1000)::bigint)
order by m.started_at)
from maintenance_times m
where m.server_id = s.id and m.started_at < $4::timestamptz and m.ended_at > $3::timestamptz),
  day.reboots,
  day.has_more))
from servers s cross
join lateral ( select json_agg(json_build_array(e.kind,
  (date_part('epoch', e.started_at) * 1000)::bigint,
  (date_part('epoch', e.ended_at) * 1000)::bigint)
order by e.started_at) filter (where e.kind in ('offline',
  'unknown',
  'unreachable') and e.ended_at >= $3::timestamptz) as silences,
  count(*) filter (where e.kind = 'rebooted' and e.started_at >= $3::timestamptz) as reboots,
  count(*) filter (where e.started_at >= $3::timestamptz) = 40 as has_more
from ( (select *
from server_events e
where e.server_id = s.id and e.started_at >= $3::timestamptz and e.started_at < $4::timestamptz
order by e.started_at desc limit 40)
union all (select *
from (select *
from server_events e
where e.server_id = s.id and e.started_at < $3::timestamptz
order by e.started_at desc limit 40) e
where e.kind in ('offline',
  'unknown',
  'unreachable')
order by e.started_at desc limit 1)) e) day
where s.account_id = $1 and (day.silences is not null or day.reboots > 0)) as "days"
from servers s
where s.account_id = $1;

select s.id as "id",
  s.name as "name",
  s.status as "status",
  s.java_hostname as "java_hostname",
  s.config_version as "config_version",
  array_to_json(array(select i
from (select distinct on (m.node_id) (date_part('epoch', m.ts) * 1000)::bigint as "ts",
  m.node_id as "node_id",
  m.packets as "packets",
  m.bytes as "bytes",
  m.dropped as "dropped",
  m.connections as "connections",
  m.latency_ms as "latency_ms"
from metric_samples m
where m.service_id = s.id and m.ts > $2 and m.ts <= $3
order by m.node_id,
  m.ts desc) i))::text as "intervals"
from game_services s
where s.id in ( select owned.id
from game_services owned
where owned.account_id = $1
union select g.service_id
from service_grants g
where g.account_id = $1)
order by s.id;
