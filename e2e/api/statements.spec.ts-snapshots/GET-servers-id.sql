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
  (date_part('epoch', s.latest_sample_at) * 1000)::bigint as "latestSampleAt",
  s.latest_sample as "latestSample",
  s.facts as "facts"
from servers s
where s.id = $1 and s.account_id = $2;
