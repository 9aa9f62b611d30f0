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

SELECT "t0"."id",
  "Server_benchmarkRuns"."__prisma_data__" AS "benchmarkRuns"
FROM "public"."servers" AS "t0"
LEFT
JOIN LATERAL (SELECT COALESCE(JSONB_AGG("__prisma_data__"),
  '[]') AS "__prisma_data__"
FROM (SELECT "t3"."__prisma_data__"
FROM (SELECT JSONB_BUILD_OBJECT('id',
  "t2"."id",
  'label',
  "t2"."label",
  'status',
  "t2"."status",
  'cpu',
  "t2"."cpu",
  'disk',
  "t2"."disk",
  'network',
  "t2"."network",
  'stability',
  "t2"."stability",
  'total',
  "t2"."total",
  'verified',
  "t2"."verified",
  'finishedAt',
  "t2"."finished_at") AS "__prisma_data__",
  "t2"."finished_at",
  "t2"."id",
  "t2"."status"
FROM (SELECT "t1".*
FROM "public"."benchmark_runs" AS "t1"
WHERE "t0"."id" = "t1"."server_id" /* root select */) AS "t2" /* inner select */) AS "t3"
WHERE "t3"."status" = CAST($1::text AS "public"."benchmark_status")
ORDER BY "t3"."finished_at" DESC,
  "t3"."id" DESC /* middle select */) AS "t4" /* outer select */) AS "Server_benchmarkRuns" ON true
WHERE ("t0"."id" = $2 AND "t0"."account_id" = $3) LIMIT $4;
