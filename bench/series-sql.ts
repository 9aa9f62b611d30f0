/**
 * The intervals of a service as JSON, a row for every eight hours, the way the API asks for them. Values: service, after,
 * until, owner.
 */
export const SERIES_SQL = `
  select part.intervals from game_services s left join lateral (
    select string_agg(concat(',{"ts":', (date_part('epoch', m.ts) * 1000)::bigint, ',"node_id":', m.node_id,
        ',"packets":', m.packets, ',"bytes":', m.bytes, ',"dropped":', m.dropped, ',"connections":', m.connections,
        ',"latency_ms":', coalesce(m.latency_ms::text, 'null'), '}'), '' order by m.ts, m.node_id) as intervals
    from metric_samples m where m.service_id = s.id and m.ts > $2 and m.ts <= $3
    group by date_bin('8 hours', m.ts, 'epoch') order by date_bin('8 hours', m.ts, 'epoch')) part on true
  where s.id = $1 and s.account_id = $4`;
