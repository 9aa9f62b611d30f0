import pg from "pg";

export type Query = { text: string; values: unknown[] };

/** The set-up of a new connection. It belongs to no task. */
export const SET_UP = /^set time zone /;
/** Nor does, as a rule, how tokens were used: a timer writes it. */
const OF_NO_TASK = new RegExp(`${SET_UP.source}|^with hours as \\(\\s*insert into token_use_hours `);

/** Every statement that this process sends to the database while `task` runs, those of transactions included, but for `leftOut`. */
export async function recordQueries(task: () => Promise<unknown>, leftOut = OF_NO_TASK): Promise<Query[]> {
  const queries: Query[] = [];
  const { prototype } = pg.Client;
  const original = prototype.query;
  prototype.query = new Proxy(original, {
    apply(target, client, args: [Query | string]) {
      const [query] = args;
      const sent = typeof query === "string" ? { text: query, values: [] } : query;
      if (!leftOut.test(sent.text)) queries.push(sent);
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
