import { bePresent } from "@/lib/servers/events/presence";
import { watchServers } from "@/lib/servers/events/watch";
import { storeCheckIn } from "@/lib/servers/telemetry/check-ins";
import { eachMeasurement } from "@/lib/servers/telemetry/measurements";

// What the section "watch" calls in a process over its own database.

/** The milliseconds that each of so many looks took, and the CPU (ms) that one took this process. */
export async function timeLooks(looks: number): Promise<{ times: number[]; cpuMs: number }> {
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let look = 0; look < looks; look++) {
    await bePresent(Date.now());
    const began = performance.now();
    await watchServers(Date.now());
    times.push(performance.now() - began);
  }
  const { user, system } = process.cpuUsage(before);
  return { times, cpuMs: (user + system) / 1000 / looks };
}

/** One check-in after the other, of servers in turn. */
export async function storeCheckIns(servers: number, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const now = new Date();
    const sample = eachMeasurement(() => 1 + (number % 50));
    await storeCheckIn(1 + ((number * 7) % servers), { sample }, { sampledAt: now, arrivedAt: now });
  }
}
