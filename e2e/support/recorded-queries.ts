import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";

export type Query = { text: string; values: unknown[] };

/** The set-up of a new connection. It belongs to no task. */
export const SET_UP = /^set time zone /;
/** Nor does, as a rule, how tokens were used: a timer writes it. */
const OF_NO_TASK = new RegExp(`${SET_UP.source}|^with hours as \\(\\s*insert into token_use_hours `);

const recorded = new AsyncLocalStorage<Query[]>();

pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply(target, client, args: [Query | string]) {
    const [query] = args;
    recorded.getStore()?.push(typeof query === "string" ? { text: query, values: [] } : query);
    return Reflect.apply(target, client, args);
  },
});

/** Every statement that `task` sends to the database, those of transactions included, but for `leftOut`. */
export async function recordQueries(task: () => Promise<unknown>, leftOut = OF_NO_TASK): Promise<Query[]> {
  const queries: Query[] = [];
  await recorded.run(queries, task);
  return queries.filter(({ text }) => !leftOut.test(text));
}
