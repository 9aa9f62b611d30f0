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
where s.id in ( select owned.id
from game_services owned
where owned.account_id = $1
union select g.service_id
from service_grants g
where g.account_id = $1)
order by s.id;
