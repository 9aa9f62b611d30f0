-- A table that held rows when it was cut into days keeps them where they are, in one partition "<table>_before" for
-- everything until a midnight (UTC): see "daily_partitions" in scripts/migrate/online-ways.ts. A table that was empty has none.

-- The end of that partition; null when there is none.
CREATE FUNCTION "partition_before_end"("parent" text) RETURNS timestamptz
LANGUAGE sql STABLE SET timezone = 'UTC' SET datestyle = 'ISO' AS $$
  SELECT substring(pg_get_expr(c.relpartbound, c.oid) FROM 'TO \(''([^'']+)''\)')::timestamptz
  FROM pg_class c WHERE c.oid = to_regclass(parent || '_before')
$$;

-- Drops that partition with all its rows. A lock that is not free within 100 ms fails the statement, as in "drop_day_partition".
CREATE FUNCTION "drop_partition_before"("parent" text) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  partition text := parent || '_before';
BEGIN
  IF to_regclass(partition) IS NULL THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE %I', partition);
  RETURN true;
END $$;

-- As in "daily_partitions", and 'exists' for a day that the partition before the first day holds.
CREATE OR REPLACE FUNCTION "make_day_partition"("parent" text, "day" timestamptz, "most" integer) RETURNS text
LANGUAGE plpgsql SET lock_timeout = '100ms' SET timezone = 'UTC' AS $$
DECLARE
  partition text := parent || '_' || to_char(day, 'YYYYMMDD');
  rest text := parent || '_default';
  until timestamptz := day + interval '24 hours';
  misplaced integer;
BEGIN
  IF to_regclass(partition) IS NOT NULL OR day < partition_before_end(parent) THEN RETURN 'exists'; END IF;
  EXECUTE format('SELECT count(*) FROM (SELECT FROM %I WHERE ts >= $1 AND ts < $2 LIMIT $3) misplaced', rest)
    INTO misplaced USING day, until, most + 1;
  IF misplaced > most THEN RETURN 'too many'; END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition, parent);
  IF misplaced > 0 THEN
    EXECUTE format('WITH moved AS (DELETE FROM %I WHERE ts >= $1 AND ts < $2 RETURNING *)
      INSERT INTO %I SELECT * FROM moved', rest, partition) USING day, until;
    -- A reader that found the partitions before this one was there would look for these rows where they no longer are.
    EXECUTE format('LOCK TABLE ONLY %I IN ACCESS EXCLUSIVE MODE', parent);
  END IF;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, partition, day, until);
  RETURN 'made';
END $$;
