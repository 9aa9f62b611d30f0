import { expect, test } from "vitest";
import { newAccount, newReportingServer } from "@/e2e/support/factories";
import { db } from "@/lib/database/client";
import { DAY, MINUTE } from "@/lib/format/time";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement } from "@/lib/servers/telemetry/measurements";

const sample = eachMeasurement(() => null);

test("samples that arrive later turn their part of an outage into unreachable, in any order and once; those of a machine that was off do not", async () => {
  const { id: accountId } = await newAccount();
  const { id } = await newReportingServer(accountId);
  const now = Math.floor(Date.now() / MINUTE) * MINUTE;
  const at = (minutes: number) => new Date(now + minutes * MINUTE);
  await db.server.update({ where: { id }, data: { createdAt: at(-DAY / MINUTE), lastSeenAt: at(-90) } });
  const store = (sampled: number, arrived: number) =>
    storeCheckIn(id, { sample }, { sampledAt: at(sampled), arrivedAt: at(arrived) });
  await store(-30, -30);
  await db.serverEvent.deleteMany({ where: { serverId: id, kind: "unknown" } });
  await db.serverEvent.upsert({
    where: { serverId_startedAt_kind: { serverId: id, startedAt: at(-88), kind: "offline" } },
    create: { serverId: id, startedAt: at(-88), endedAt: at(-30), kind: "offline" },
    update: { endedAt: at(-30) },
  });
  for (const sampled of [-40, -60, -41, -61, -40, -42]) await store(sampled, -29);
  const spans = (await db.serverEvent.findMany({ where: { serverId: id }, orderBy: { startedAt: "asc" } })).map(
    ({ kind, startedAt, endedAt }) => [
      kind,
      (startedAt.getTime() - now) / MINUTE,
      ((endedAt?.getTime() ?? 0) - now) / MINUTE,
    ],
  );
  expect(spans).toEqual([
    ["offline", -88, -61],
    ["unreachable", -61, -58],
    ["offline", -58, -42],
    ["unreachable", -42, -38],
    ["offline", -38, -30],
  ]);
});
