import { claimDeliveries } from "@/lib/notices/outbox";
import { planAccount } from "@/lib/notices/planning";
import { disregardUntold, findAccountsWithWork } from "@/lib/notices/work";

// What the section "notices" calls in a process over its own database.

const ROOM = 50;

/** The milliseconds that each of so many looks took, with nothing to do. */
export async function timeLooks(looks: number): Promise<number[]> {
  const times: number[] = [];
  for (let look = 0; look < looks; look++) {
    const began = performance.now();
    await disregardUntold();
    await findAccountsWithWork();
    await claimDeliveries(ROOM, ROOM);
    times.push(performance.now() - began);
  }
  return times;
}

/** The milliseconds that it took to plan all accounts that have something new, and how many they were. */
export async function timePlanning(): Promise<[ms: number, accounts: number]> {
  const began = performance.now();
  const accounts = await findAccountsWithWork();
  for (const accountId of accounts) await planAccount(accountId);
  return [performance.now() - began, accounts.length];
}
