-- Every list of servers reads this column: the minutes of all hours become one text, and only hours with events keep an
-- entry. See lib/servers/stability.ts.
UPDATE "servers" SET "stability" = (
  SELECT jsonb_build_object(
    'until', newest."hour",
    'minutes', string_agg(lpad(least(60, coalesce((entry ->> 'minutes')::int, 0))::text, 2, '0'), '' ORDER BY at),
    'seen', string_agg(lpad(coalesce(entry ->> 'seen', '0'), 15, '0'), '' ORDER BY at),
    'events', coalesce(
      jsonb_agg(entry - 'minutes' - 'seen' ORDER BY at)
        FILTER (WHERE (entry ->> 'reboots')::int > 0 OR (entry ->> 'oom_kills')::int > 0),
      '[]'
    ),
    'last_oom_at', "stability" -> 'last_oom_at',
    'failed_units', coalesce("stability" -> 'failed_units', '0')
  )
  FROM generate_series(newest."hour" - 24, newest."hour") at
  LEFT JOIN jsonb_array_elements("stability" -> 'hours') entry ON (entry ->> 'hour')::int = at
)
FROM (
  SELECT "id", max((entry ->> 'hour')::int) AS "hour"
  FROM "servers", jsonb_array_elements("stability" -> 'hours') entry
  WHERE jsonb_typeof("stability" -> 'hours') = 'array'
  GROUP BY "id"
) newest
WHERE newest."id" = "servers"."id";

-- A record without hours says nothing.
UPDATE "servers" SET "stability" = '{}' WHERE "stability" ? 'hours';
