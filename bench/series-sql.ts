/** The intervals of a service as one JSON text, the way the API asks for them. Values: service, after, until, owner. */
export const SERIES_SQL = `
  select array_to_json(array(select i from (
    select (extract(epoch from m.ts) * 1000)::bigint as ts, m.node_id, m.packets, m.bytes, m.dropped, m.connections,
      m.latency_ms
    from metric_samples m where m.service_id = s.id and m.ts > $2 and m.ts <= $3 order by m.ts, m.node_id) i))::text as series
  from game_services s where s.id = $1 and s.account_id = $4`;
