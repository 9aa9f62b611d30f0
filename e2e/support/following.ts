import { recordIntervals } from "@/e2e/support/record-intervals";
import { MINUTE } from "@/lib/format/time";
import type { FollowedIntervals } from "@/public/clients/console-api";

/** One who follows a service with a client. */
export type Follower = {
  next(): Promise<FollowedIntervals>;
  /** Half an hour passes for it. */
  skipTime(): void;
  stop(): Promise<void>;
};

/** What the reads of `playFollowing` give: how many minutes ago they end, and each interval as minutes and node. */
export const FOLLOWED = [
  // It begins an hour ago. Several nodes share a time.
  [15, "40 of 1", "40 of 2", "15 of 1", "15 of 2"],
  [15, "20 of 3", "15 of 3"],
  [10, "10 of 1"],
  // Later than the overlap: only the read of all that may be late finds it. What is older than the beginning stays out.
  [10, "39 of 3"],
  [8, "8 of 1", "8 of 2"],
  [8, "119 of 2"],
  [7, "7 of 2"],
];

/** Late intervals, failures and a restart. `now`: epoch ms. `fail`: the next three requests fail. */
export async function playFollowing(
  serviceId: number,
  now: number,
  start: (since?: number) => Follower,
  fail: () => void,
) {
  const store = (...intervals: [minutes: number, nodeId: number][]) =>
    recordIntervals(intervals.map(([minutes, nodeId]) => ({ serviceId, ts: now - minutes * MINUTE, nodeId })));
  const read = async ({ next }: Follower) => {
    const { since, intervals } = await next();
    return [(now - since) / MINUTE, ...intervals.map(({ ts, node_id }) => `${(now - ts) / MINUTE} of ${node_id}`)];
  };
  await store([90, 1], [40, 1], [40, 2], [15, 1], [15, 2]);
  const first = start();
  const told = [await read(first)];
  await store([15, 3], [20, 3]);
  told.push(await read(first));
  fail();
  await store([10, 1]);
  told.push(await read(first));
  await store([39, 3], [95, 3]);
  first.skipTime();
  told.push(await read(first));
  await first.stop();

  await store([8, 1], [8, 2]);
  const second = start(now - 10 * MINUTE);
  told.push(await read(second));
  await store([119, 2]);
  second.skipTime();
  told.push(await read(second));
  await store([7, 2]);
  told.push(await read(second));
  await second.stop();
  return told;
}

/** From how many minutes ago each request reads; null: it did not say. */
export const depthsOf = (asked: readonly { url: string }[], now: number) =>
  asked.map(({ url }) => {
    const since = new URLSearchParams(url.split("?")[1]).get("since");
    return since === null ? null : (now - Number(since)) / MINUTE;
  });
