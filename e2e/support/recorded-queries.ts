import pg from "pg";

export type Query = { text: string; values: unknown[] };

/** What belongs to no task: the set-up of a new connection, and how tokens were used, which is written by a timer. */
const OF_NO_TASK = /^set time zone |^with hours as \(\s*insert into token_use_hours /;

/** Every statement that this process sends to the database while `task` runs, those of transactions included. */
export async function recordQueries(task: () => Promise<unknown>): Promise<Query[]> {
  const queries: Query[] = [];
  const { prototype } = pg.Client;
  const original = prototype.query;
  prototype.query = new Proxy(original, {
    apply(target, client, args: [Query | string]) {
      const [query] = args;
      const sent = typeof query === "string" ? { text: query, values: [] } : query;
      if (!OF_NO_TASK.test(sent.text)) queries.push(sent);
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
