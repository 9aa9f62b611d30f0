import { db } from "@/lib/database/client";
import { execute } from "@/lib/database/run-statement";
import { statement } from "@/lib/database/statement";
import { type Configuration, type ConfiguredService, readConfiguration } from "@/lib/game-services/edges/configuration";
import { markHeard } from "@/lib/game-services/edges/nodes";
import { type Acknowledgement, storeReport } from "@/lib/game-services/edges/reports";
import { settleAll } from "@/lib/game-services/settlement";
import { DEMO_SERVICES, type DemoService, EDGE_NODES, OF_THE_DEMO } from "./data";
import { evening, json, minuteOf, PERIOD, type Period } from "./history";

/** In minutes. */
const ATTACK_LASTS = 25;

// Each node with each service, minute by minute. Now and then a node counts nothing, or cannot measure the latency. Of the sessions of an
// attack a few reach the origin, and most come to one node, each time to another one.
const TRAFFIC = statement({ services: json, nodes: json, ...PERIOD }, ({ services, nodes, from, until }) => ({
  sql: `with refused as (insert into edge_node_minutes (node_id, ts, refused) select node_id, at, round(9 * random())
      from json_to_recordset(${nodes}) as n (node_id int), generate_series(${from}, ${until} - interval '1 minute', '1 minute') as at
      on conflict do nothing)
    insert into metric_samples
      (service_id, ts, node_id, packets, bytes, dropped, connections, latency_ms, joins, pings, answered, players)
    select service_id, at, node_id, round(online * (2050 + 500 * random())) + 8 * passed,
      round(online * 2300 * (128 + 48 * random()) + 70 * attack), round(0.01 * asked * random()) + attack - passed,
      round(0.3 * asked) + passed + round(0.7 * asked),
      case when online > 0 and random() > 0.02 then round((latency * (1 + 0.1 * random()) + attack / 15000)::numeric, 2) end,
      round(0.3 * asked) + passed, round(0.7 * asked), 0, online
    from json_to_recordset(${services}) as s (service_id int, players int, attacked int, begins timestamptz, ends timestamptz),
      json_to_recordset(${nodes}) as n (node_id int, share float8, utc_offset int, latency float8),
      generate_series(greatest(${from}, date_bin('1 minute', begins, 'epoch') + interval '1 minute'), least(${until}, ends), '1 minute') as at,
      lateral (select ${minuteOf("at")} as minute) as clock,
      lateral (select round(players * share * (0.05 + 0.95 * ${evening("at", "utc_offset")} ^ 1.6) * (0.85 + 0.3 * random())) as online,
        0.2 + 0.3 * random() as per_player, minute / attacked as number, minute % attacked / ${ATTACK_LASTS}.0 as part) as present,
      lateral (select case when part < 1 then round((40000 + 700000 * (hashint4(number + service_id) % 100 / 100.0) ^ 2)
        * sin(part * pi()) ^ 0.4 * case when number % 3 = node_id % 3 then 0.8 else 0.1 end) else 0 end as attack) as attacker,
      lateral (select round(0.004 * attack) as passed, online * per_player as asked) as sessions
    where at < ${until} and random() > 0.002 and minute % 1440 not between 97 * node_id and 97 * node_id + 12
    on conflict do nothing`,
}));

/** Writes what the edge nodes counted in a time, which begins with a minute. What is there already stays. */
export async function writeTraffic(period: Period): Promise<void> {
  const rows = await db.gameService.findMany({
    where: OF_THE_DEMO,
    select: { id: true, javaHostname: true, status: true, createdAt: true, updatedAt: true },
  });
  const services = rows.flatMap(({ id, javaHostname, status, createdAt, updatedAt }) => {
    const { players = 0, attackedEvery = null } = DEMO_SERVICES.find((one) => one.javaHostname === javaHostname) ?? {};
    const ends = status === "active" ? null : updatedAt;
    const attacked = attackedEvery && attackedEvery * 60;
    return players > 0 ? { service_id: id, players, attacked, begins: createdAt, ends } : [];
  });
  const nodes = (await demoNodes()).map(({ id, share, utcOffset, latencyMs }) => ({
    ...{ node_id: id, share, utc_offset: utcOffset, latency: latencyMs },
  }));
  await execute(TRAFFIC, { services: JSON.stringify(services), nodes: JSON.stringify(nodes), ...period });
}

/** The edge nodes of the demo that are in this database. */
async function demoNodes() {
  const rows = await db.edgeNode.findMany({ select: { id: true, name: true, isLive: true, lastHeardAt: true } });
  return EDGE_NODES.flatMap((node) => {
    const row = rows.find(({ name }) => name === node.name);
    return row ? { ...node, ...row, lastHeardAt: row.lastHeardAt?.getTime() ?? null } : [];
  });
}

let known: Configuration | null = null;

/** Runs one round of all edge nodes. Each says what it has of a new configuration, by the functions that serve real nodes. */
export async function runNodes(now: Date): Promise<void> {
  const nodes = await demoNodes();
  for (const node of nodes) {
    if (await markHeard(node, { ip: node.ip, agent: "demo" }, now)) await settleAll(now);
  }
  const configuration = await readConfiguration(known);
  if (configuration === known) return;
  const { services } = (JSON.parse(configuration.json) as { data: { services: ConfiguredService[] } }).data;
  const acknowledgements = [
    ...services.flatMap(acknowledge),
    ...configuration.gone.map((serviceId) => ({ serviceId, version: null, error: null })),
  ];
  for (const { id } of nodes) await storeReport(id, { acknowledgements, intervals: [] }, now);
  known = configuration;
}

/** Nodes say nothing of demo services that wait for them, so that these go on waiting until a user changes them. */
function acknowledge({ id: serviceId, java_hostname, version, enabled }: ConfiguredService): Acknowledgement[] {
  const seeded = DEMO_SERVICES.find((one) => one.javaHostname === java_hostname && one.configVersion === version);
  if (!seeded) return [{ serviceId, version, error: null, servingVersion: enabled ? version : null }];
  return answersTo(seeded).map((answer) => ({ serviceId, ...answer }));
}

/** What nodes say of a demo service that nobody has changed. One that failed goes on failing: they keep the version before. */
export function answersTo({ status, configVersion: version, error }: DemoService) {
  if (status === "active") return [{ version, error, servingVersion: version }];
  if (status === "disabled") return [{ version, error, servingVersion: null }];
  return status === "failed" ? [{ version, error, servingVersion: version - 1 }] : [];
}
