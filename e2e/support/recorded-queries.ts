import pg from "pg";

export type Query = { text: string; values: unknown[] };

/** Every statement that this process sends to the database while `task` runs, those of transactions included. */
export async function recordQueries(task: () => Promise<unknown>): Promise<Query[]> {
  const queries: Query[] = [];
  const { prototype } = pg.Client;
  const original = prototype.query;
  prototype.query = new Proxy(original, {
    apply(target, client, args: [Query | string]) {
      const [query] = args;
      queries.push(typeof query === "string" ? { text: query, values: [] } : query);
      return Reflect.apply(target, client, args);
    },
  });
  try {
    await task();
  } finally {
    prototype.query = original;
  }
  return queries;
}
