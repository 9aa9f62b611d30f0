import { expect, test } from "vitest";
import { newAccount, newOwnedReporter, newReportingServer } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { DAY, HOUR, MINUTE } from "@/lib/format/time";
import { clockField } from "@/lib/format/time-range";
import { callOffMaintenance, listMaintenance, MOST_MAINTENANCE, planMaintenance } from "@/lib/servers/maintenance";

test("maintenance keeps to its limits, and is planned for all chosen servers or none", async () => {
  const { accountId, id } = await newOwnedReporter();
  const { id: second } = await newReportingServer(accountId);
  const { label } = await db.server.findUniqueOrThrow({ where: { id } });
  const { id: strangers } = await newReportingServer((await newAccount()).id);
  const now = Math.floor(Date.now() / HOUR) * HOUR;
  const plan = async (from: number, to: number, servers = [id], account = accountId) => {
    const fields = { from: clockField(from, "UTC"), to: clockField(to, "UTC") };
    const result = await planMaintenance(account, servers, fields, "UTC", now);
    return result.kind === "invalid" ? result.message : result.kind;
  };
  const plannedOf = (serverId: number) => db.maintenanceTime.count({ where: { serverId } });
  expect(await plan(now, now + HOUR)).toBe("planned");
  const overlap = `^Nothing was planned: ${label} has maintenance already from .* to .* \\(UTC\\)`;
  expect(await plan(now + 30 * MINUTE, now + 2 * HOUR, [id, second])).toMatch(new RegExp(`${overlap}\\.$`));
  for (const servers of [
    [second, strangers],
    [second, 0],
  ]) {
    expect(await plan(now, now + HOUR, servers)).toBe("not-found");
  }
  expect(await plan(now, now + HOUR, [])).toBe("Choose at least one server.");
  expect([await plannedOf(second), await plannedOf(strangers)]).toEqual([0, 0]);
  // A double tap, in another order, with one that has it already.
  const twice = await Promise.all([plan(now, now + HOUR, [id, second, second]), plan(now, now + HOUR, [second, id])]);
  expect(twice).toEqual(["planned", "planned"]);
  expect([await plannedOf(id), await plannedOf(second)]).toEqual([1, 1]);
  expect(await plan(now + 30 * MINUTE, now + 2 * HOUR, [id, second])).toMatch(
    new RegExp(`${overlap}, and 1 other server at this time, too\\.$`),
  );
  expect(await plan(now + HOUR, now + HOUR)).toBe("Maintenance lasts a minute at least.");
  expect(await plan(now + HOUR, now)).toBe("This time ends before it begins.");
  expect(await plan(now + HOUR, now + 40 * DAY)).toBe("Maintenance lasts 31 days at most.");
  expect(await plan(now - 25 * HOUR, now)).toBe(
    "It can be entered until a day after it began. An older outage stays in the uptime.",
  );
  expect(await plan(now + 367 * DAY, now + 368 * DAY)).toBe("It can be planned a year ahead.");
  expect(await planMaintenance(accountId, [id], { from: "tomorrow" }, "UTC")).toMatchObject({
    kind: "invalid",
    message: "Enter both times, each with a date and a time.",
  });
  expect(await plan(now + 2 * HOUR, now + 3 * HOUR, [id], (await newAccount()).id)).toBe("not-found");
  expect(await plan(now - 20 * HOUR, now - HOUR)).toBe("planned");
  expect(await plan(now + 2 * HOUR, now + 3 * HOUR)).toBe("planned");
  // What goes on ends; what has not begun is gone, and so is what is over and began within a day. The rest stays.
  const times = { startedAt: new Date(now - 25 * HOUR), endedAt: new Date(now - 24 * HOUR) };
  const frozen = await db.maintenanceTime.create({ data: { serverId: id, ...times } });
  const [mistake, going, coming] = await listMaintenance(id, new Date(now + MINUTE));
  const off = (maintenance: { id: number } | undefined, account = accountId) =>
    callOffMaintenance(account, id, maintenance?.id ?? 0, new Date(now + MINUTE));
  expect(await off(coming, (await newAccount()).id)).toBe(false);
  expect([await off(frozen), await off(mistake), await off(going)]).toEqual([false, true, true]);
  expect([await off(coming), await off(coming)]).toEqual([true, false]);
  const rows = await db.maintenanceTime.findMany({ where: { serverId: id }, orderBy: { startedAt: "asc" } });
  expect(rows.map(({ endedAt }) => endedAt.getTime())).toEqual([now - 24 * HOUR, now + MINUTE]);
  await db.maintenanceTime.createMany({
    data: Array.from({ length: MOST_MAINTENANCE - 2 }, (_, index) => ({
      ...{ serverId: id, startedAt: new Date(index * DAY), endedAt: new Date(index * DAY + HOUR) },
    })),
  });
  expect(await plan(now + 5 * HOUR, now + 6 * HOUR, [second, id])).toBe(
    `Nothing was planned: ${label} has 100 times of maintenance already, past ones included. That is the most.`,
  );
  expect(await plannedOf(second)).toBe(1);
});
