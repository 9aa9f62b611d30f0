import pg from "pg";

export type Query = { text: string; values: unknown[] };

/** Set-up statements of new connections. They do not belong to a task. */
const ON_CONNECT = /^set time zone /;

/** Every statement that this process sends to the database while `task` runs, those of transactions included. */
export async function recordQueries(task: () => Promise<unknown>): Promise<Query[]> {
  const queries: Query[] = [];
  const { prototype } = pg.Client;
  const original = prototype.query;
  prototype.query = new Proxy(original, {
    apply(target, client, args: [Query | string]) {
      const [query] = args;
      const sent = typeof query === "string" ? { text: query, values: [] } : query;
      if (!ON_CONNECT.test(sent.text)) queries.push(sent);
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
