import { SECOND } from "@/lib/format/time";
import { expect } from "./fixtures";
import { comeBack, DELIVERIES, goOffline, type Stage } from "./notice-stage";
import { letPass } from "./notice-time";
import { type Instance, startInstance } from "./notices-instance";
import type { Death } from "./notices-process";

/** Steps of the loop, by the beginning of what they send to the database. */
export const STEPS = [
  "set notice_due = false",
  "insert into notice_incidents",
  "set started_at = w.started_at",
  "insert into notices",
  "COMMIT",
  "set leased_until = now()",
  'as "threadDelivery"',
  "set content =",
  "sending",
  "set state =",
];

/** What is wrong after a death in the midst of telling of an outage, which another look tells of. */
export async function expectWholeAfter(
  { sql, receiver, url }: Pick<Stage, "sql" | "receiver" | "url">,
  death: Death,
  revive: (dead: Instance) => Promise<Instance>,
): Promise<void> {
  const { when, what } = death;
  await sql("delete from events; delete from notices; delete from notice_incidents");
  receiver.arrivals.length = 0;
  const dying = await startInstance(url, receiver.url);
  await sql(goOffline(1));
  dying.dieAt(death);
  // The first looks note it, the later ones tell it.
  let isAlive = true;
  for (let looks = 0; isAlive && looks < 15; looks++) {
    const look = async () => (await dying.tick()) && letPass(sql, 30 * SECOND).then(() => true);
    isAlive = await (death.postgres === undefined ? look() : look().catch(() => false));
  }
  expect(isAlive, `${when} ${what}`).toBe(false);
  const next = await revive(dying);
  for (let looks = 0; looks < 15; looks++) {
    expect(await next.tick()).toBe(true);
    await letPass(sql, 30 * SECOND);
  }
  await sql(comeBack(1));
  for (let looks = 0; looks < 6; looks++) {
    await next.tick();
    await letPass(sql, 30 * SECOND);
  }
  await next.stop();
  const deliveries = await sql(DELIVERIES);
  expect(deliveries, `${when} ${what}`).toMatchObject([
    { kind: "begun", state: "delivered" },
    { kind: "ended", state: "delivered" },
  ]);
  const ids = deliveries.map(({ id }) => id);
  expect(
    receiver.arrivals.map(({ id }) => ids.indexOf(id)),
    `${when} ${what}`,
  ).toEqual(
    // What arrived before its end was written down comes again, with the same id.
    (when === "after" && what === "sending") || (when === "before" && what === "set state =") ? [0, 0, 1] : [0, 1],
  );
  expect(new Set(receiver.arrivals.map(({ id, body }) => id + body)).size, `${when} ${what}`).toBe(2);
}
