import { bePresent } from "@/lib/servers/events/presence";
import { watchServers } from "@/lib/servers/events/watch";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement } from "@/lib/servers/telemetry/measurements";

// What the section "watch" calls in a process over its own database.

/** The milliseconds that each of so many looks took. */
export async function timeLooks(looks: number): Promise<number[]> {
  const times: number[] = [];
  for (let look = 0; look < looks; look++) {
    await bePresent(Date.now());
    const began = performance.now();
    await watchServers(Date.now());
    times.push(performance.now() - began);
  }
  return times;
}

/** One check-in after the other, of servers in turn. */
export async function storeCheckIns(servers: number, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const now = new Date();
    const sample = eachMeasurement(() => 1 + (number % 50));
    await storeCheckIn(1 + ((number * 7) % servers), { sample }, { sampledAt: now, arrivedAt: now });
  }
}
