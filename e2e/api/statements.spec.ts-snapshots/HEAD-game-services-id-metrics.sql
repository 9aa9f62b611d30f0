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

with used as ( update access_tokens t
set last_used_at = $2,
  last_used_ip = $3,
  last_used_agent = $4,
  first_used_at = coalesce(t.first_used_at,
  $2),
  first_used_ip = case when t.first_used_at is null then $3 else t.first_used_ip end
where t.id = $1 and (t.last_used_at is null or t.last_used_at <= $5) returning t.id ) update access_tokens t
set revoked_at = $2
where t.replaced_by_id = (select id
from used) and t.ends_on_first_use and t.revoked_at is null and (t.expires_at is null or t.expires_at > $2);

select s.id as "id",
  s.name as "name",
  s.status as "status",
  s.java_hostname as "java_hostname",
  s.origin_host as "origin_host",
  s.origin_port as "origin_port",
  s.config_version as "config_version",
  s.error as "error",
  (date_part('epoch', s.created_at) * 1000)::bigint as "created_at",
  (date_part('epoch', s.updated_at) * 1000)::bigint as "updated_at"
from game_services s
where s.id = $1 and (s.account_id = $2 or exists (select
from service_grants g
where g.service_id = s.id and g.account_id = $2) or $3::boolean and (s.support_access or exists ( select
from tickets k
where k.service_id = s.id and k.account_id = s.account_id and k.status = 'open')));
