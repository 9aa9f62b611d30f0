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
