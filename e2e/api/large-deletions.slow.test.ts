import { expect, test } from "vitest";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";
import { partitionsOf } from "@/e2e/support/run-sql";
import { deleteService } from "@/lib/game-services/management";
import { removeServer } from "@/lib/servers/management";
import { sweep } from "@/lib/sweep/sweep";

// A statement is cancelled after 2.5 seconds. A month of samples that went together with their server could take longer.

/** Refuses each statement that deletes more rows, those of a foreign key included. */
const MOST_ROWS = 2500;
const ROWS = 3 * MOST_ROWS;

/** The account, two of its servers and three of its services. Those with the id 1 have many rows, those with 2 a single one. */
const FILL = `
  insert into accounts (name, email) values ('owner', 'owner@example.com');
  insert into servers (account_id, label, hostname) select 1, 'Server ' || n, 'h' from generate_series(1, 2) n;
  insert into game_services (account_id, name, java_hostname, origin_host, origin_port, wish, status)
    select 1, 'Service ' || n, 'j' || n || '.example.com', 'o', 1, case n when 3 then 'gone' else 'on' end::service_wish,
      case n when 3 then 'deleting' else 'pending_config' end::game_service_status
    from generate_series(1, 3) n;
  ${partitionsOf(
    "telemetry_samples",
    Array.from({ length: 40 }, (_, n) => n + 1),
  )}
  insert into telemetry_samples (server_id, at, score) select 1, now() - n * interval '30 s', 1 from generate_series(1, ${ROWS}) n;
  insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills)
    select 1, date_trunc('hour', now(), 'UTC') - n * interval '1 hour', 1, 120, 0, 0 from generate_series(1, ${ROWS}) n;
  insert into events (subject, subject_id, kind, started_at)
    select 'server', 1, 'benchmark', now() - n * interval '10 min' from generate_series(1, ${ROWS}) n;
  insert into events (subject, subject_id, account_id, kind, started_at)
    select 'service', 1, 1, 'retried', now() - n * interval '10 min' from generate_series(1, ${ROWS}) n;
  insert into access_tokens (account_id, name, token_hash, hint, created_at, revoked_at)
    select 1, 'n', encode(sha256(n::text::bytea), 'hex'), 'hint', now() - interval '1 year', now() - interval '91 days'
    from generate_series(1, 3) n;
  insert into events (subject, subject_id, account_id, kind, started_at, ended_at)
    select 'token', token, 1, 'new_network', now() - n * interval '10 min', now() from generate_series(1, 3) token, generate_series(1, ${ROWS / 3}) n;
  insert into metric_samples select service, now() - n * interval '1 min', node, 1, 1, 1, 1, 1
    from unnest(array[1, 3]) service, generate_series(1, ${ROWS / 3}) n, generate_series(1, 3) node;
  insert into telemetry_samples (server_id, at, score) values (2, now(), 1);
  insert into telemetry_hours (server_id, hour, seen, samples, reboots, oom_kills) values (2, '2026-11-20', 1, 1, 0, 0);
  insert into metric_samples values (2, now(), 1, 1, 1, 1, 1, 1);

  create function refuse_many() returns trigger language plpgsql as $$ begin
    if (select count(*) from gone) > ${MOST_ROWS} then raise exception '% rows of % at once', (select count(*) from gone), tg_table_name;
    end if;
    return null;
  end $$;
  create trigger few after delete on telemetry_samples referencing old table as gone for each statement execute function refuse_many();
  create trigger few after delete on events referencing old table as gone for each statement execute function refuse_many();
  create trigger few after delete on telemetry_hours referencing old table as gone for each statement execute function refuse_many();
  create trigger few after delete on metric_samples referencing old table as gone for each statement execute function refuse_many()`;

const LEFT = `select
  (select count(*)::int from servers) as servers, (select count(*)::int from telemetry_samples) as samples,
  (select count(*)::int from telemetry_hours) as hours, (select count(*)::int from events where subject = 'server') as events,
  (select count(*)::int from events where kind = 'retried') as "serviceEvents",
  (select count(*)::int from access_tokens) + (select count(*)::int from events where subject = 'token') as tokens, (select count(*)::int from game_services) as services,
  (select count(*)::int from metric_samples) as intervals`;

const { sql } = edgeNodesInProcess();

test("large deletions run in small statements, and the sweep finishes an interrupted one", async () => {
  await sql(FILL);
  const left = async () => (await sql(LEFT))[0];

  const others = { serviceEvents: ROWS, tokens: 3 + ROWS };
  expect(await removeServer(1, 1)).toBe(true);
  const first = { servers: 1, samples: 1, hours: 1, events: 0, services: 3, intervals: 2 * ROWS + 1, ...others };
  expect(await left()).toEqual(first);

  expect(await deleteService(1, 1, "Service 1")).toMatchObject({ kind: "changed" });
  others.serviceEvents = 0;
  const afterwards = { servers: 1, samples: 1, hours: 1, events: 0, services: 2, intervals: ROWS + 1, ...others };
  await expect.poll(left).toEqual(afterwards);

  // Each sweep goes on where the one before it ended.
  await expect
    .poll(async () => {
      expect((await sweep("now"))?.failed).toEqual([]);
      return left();
    })
    .toEqual({ servers: 1, samples: 1, hours: 1, events: 0, services: 1, intervals: 1, serviceEvents: 0, tokens: 0 });
});
