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

select part.intervals as "intervals"
from game_services s
left
join lateral ( select string_agg(concat(',{"ts":',
  (date_part('epoch', m.ts) * 1000)::bigint,
  ',"node_id":',
  m.node_id,
  ',"packets":',
  m.packets,
  ',"bytes":',
  m.bytes,
  ',"dropped":',
  m.dropped,
  ',"connections":',
  m.connections,
  ',"latency_ms":',
  coalesce((m.latency_ms)::text,
  'null'),
  '}'),
  ''
order by m.ts,
  m.node_id) as intervals
from metric_samples m
where m.service_id = s.id and m.ts > $2 and m.ts <= $3
group by date_bin('8 hours',
  m.ts,
  'epoch')
order by date_bin('8 hours',
  m.ts,
  'epoch')) part on true
where s.id = $1 and (s.account_id = $4 or exists (select
from service_grants g
where g.service_id = s.id and g.account_id = $4) or $5::boolean and (s.support_access or exists ( select
from tickets k
where k.service_id = s.id and k.account_id = s.account_id and k.status = 'open')));
