import { expect, test } from "vitest";
import { edgeNodesInProcess } from "@/e2e/support/edge-in-process";
import { RULES } from "@/e2e/support/edge-nodes";
import { unique } from "@/e2e/support/factories";
import { MAX_KEPT_HOSTNAMES } from "@/lib/game-services/hostnames";
import * as services from "@/lib/game-services/management";

// Which account a hostname belongs to, and until when.

const { sql, newNode, newOwner, newService, get, acknowledge, stateOf, statusOf } = edgeNodesInProcess();

test("a hostname belongs to one account, and an unused claim lapses after 7 days", async () => {
  const [first, second] = [await newOwner(), await newOwner()];
  const node = await newNode();
  const { id, input } = await newService(first);
  const refused = await services.createService(second, { ...input, name: "Mine" }, RULES);
  expect(refused).toEqual({
    kind: "invalid",
    field: "javaHostname",
    message: "Another service has this public hostname. Choose another one.",
  });
  // Many at once for one name: one gets it.
  const javaHostname = `${unique("race")}.example.com`;
  const race = await Promise.all(
    Array.from({ length: 8 }, () => services.createService(second, { ...input, javaHostname }, RULES)),
  );
  expect(race.filter(({ kind }) => kind === "created")).toHaveLength(1);
  await sql("update hostname_claims set claimed_at = now() - interval '7 days 1 minute' where service_id = $1", [id]);
  const taken = await services.createService(second, input, RULES);
  expect(taken.kind).toBe("created");
  // The owner of the service that lost the hostname sees an error.
  const served = (await get(node.key)).json.data.services as { id: number }[];
  expect(served.map((service) => service.id)).not.toContain(id);
  await expect
    .poll(() => stateOf(id))
    .toMatchObject({ status: "failed", error: "Another service has this public hostname." });
});

test("a hostname that was active stays its account's for 7 days after release", async () => {
  const [first, second] = [await newOwner(), await newOwner()];
  const node = await newNode();
  const { id, input } = await newService(first);
  const activate = async (service: number) => {
    await get(node.key);
    await acknowledge(node.key, service, (await stateOf(service))?.config_version ?? 0);
    expect(await statusOf(service)).toBe("active");
  };
  const rename = (javaHostname: string) => services.editService(first, id, { ...input, javaHostname }, RULES);
  const create = (owner: number, javaHostname: string) =>
    services.createService(owner, { ...input, name: "Survival", javaHostname }, RULES);
  await activate(id);
  expect((await rename(`${unique("renamed")}.example.com`)).kind).toBe("changed");
  await activate(id);
  expect(await create(second, input.javaHostname)).toMatchObject({ kind: "invalid", field: "javaHostname" });
  // The way back is open, and another service of the account may take what it left.
  expect((await rename(input.javaHostname)).kind).toBe("changed");
  await activate(id);
  await services.deleteService(first, id, "Survival");
  await acknowledge(node.key, id, null);
  expect(await statusOf(id)).toBe("no row");
  expect(await create(second, input.javaHostname)).toMatchObject({ kind: "invalid", field: "javaHostname" });
  const other = await create(first, input.javaHostname);
  if (other.kind !== "created") throw new Error(JSON.stringify(other));
  await activate(other.id);
  await services.deleteService(first, other.id, "Survival");
  await acknowledge(node.key, other.id, null);

  const kept = () =>
    sql<{ hostname: string }>("select hostname from hostname_claims where account_id = $1 order by released_at", [
      first,
    ]);
  const [oldest] = await kept();
  await sql(
    `insert into hostname_claims (hostname, account_id, claimed_at, active_at, released_at)
     select $2 || n || '.example.com', $1, now(), now(), now() - interval '1 day' + n * interval '1 second'
     from generate_series(1, $3::int) n`,
    [first, unique("kept"), MAX_KEPT_HOSTNAMES - (await kept()).length],
  );
  const [{ hostname: leaves } = { hostname: "" }] = await kept();
  expect(leaves).not.toBe(oldest?.hostname);
  const last = await newService(first);
  await activate(last.id);
  await services.editService(first, last.id, { ...last.input, javaHostname: `${unique("away")}.example.com` }, RULES);
  const after = (await kept()).map(({ hostname }) => hostname);
  expect(after).toHaveLength(MAX_KEPT_HOSTNAMES);
  expect(after).not.toContain(leaves);
  expect(after).toContain(last.input.javaHostname);

  await sql("update hostname_claims set released_at = now() - interval '7 days 1 minute' where hostname = $1", [
    input.javaHostname,
  ]);
  expect((await create(second, input.javaHostname)).kind).toBe("created");
});
