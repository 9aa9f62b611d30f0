import { db } from "@/lib/database/client";

export type NamedServer = { id: number; label: string };
export type Neighbours = { previous: NamedServer | null; next: NamedServer | null };

const collator = new Intl.Collator("en", { numeric: true });

/** The servers of the account before and after one of them, by name; behind the last comes the first. */
export async function findNeighbours(accountId: number, serverId: number): Promise<Neighbours> {
  const servers = await db.server.findMany({ where: { accountId }, select: { id: true, label: true } });
  if (servers.length < 2) return { previous: null, next: null };
  servers.sort((a, b) => collator.compare(a.label, b.label) || a.id - b.id);
  const index = servers.findIndex(({ id }) => id === serverId);
  const at = (place: number) => servers[(place + servers.length) % servers.length] ?? null;
  return { previous: at(index - 1), next: at(index + 1) };
}
