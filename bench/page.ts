import { randomBytes } from "node:crypto";
import pg from "pg";
import { hashToken } from "@/lib/tokens/format";
import type { Bench } from "./bench";
import type { Measured } from "./load";
import { median } from "./rounds";

/** As many as are kept of a server: silences of a minute, half an hour apart. */
const EVENTS = 10_000;
const FILL = `
  update servers set created_at = now() - interval '380 days', first_seen_at = now() - interval '380 days' where id = $1`;
const SILENCES = `
  insert into server_events (server_id, kind, started_at, ended_at)
    select $1, 'offline', now() - n * interval '30 min', now() - n * interval '30 min' + interval '1 min'
    from generate_series(1, ${EVENTS}) n`;

/** The page of a server, asked for one after the other, without any events and with as many as are kept of one. */
export async function page(bench: Bench, rounds: number): Promise<(readonly string[])[]> {
  const direct = await bench.direct();
  const client = new pg.Client(bench.data.url);
  await client.connect();
  try {
    const { rows } = await client.query("select id from servers where account_id = $1 order by id limit 1", [
      bench.data.accountId,
    ]);
    const { id } = rows[0];
    await client.query(FILL, [id]);
    const token = randomBytes(32).toString("base64url");
    await client.query(
      "insert into sessions (token_hash, account_id, expires_at) values ($1, $2, now() + interval '1 day')",
      [hashToken(token), bench.data.accountId],
    );
    const request = { path: `/dashboard/servers/${id}`, tokens: [], headers: [`Cookie: session=${token}`] };
    const ask = async () => {
      const measured: Measured[] = [];
      for (let round = 0; round <= rounds; round++) {
        measured.push(await bench.ask(direct, { ...request, connections: 1, ms: 2000 }));
      }
      const [, ...counted] = measured;
      return [median(counted.map(({ medianMs }) => medianMs)), Math.max(...counted.map(({ longestMs }) => longestMs))];
    };
    const row = (name: string, times: readonly number[]) => [name, ...times.map((time) => `${time.toFixed(1)} ms`)];
    const none = await ask();
    const head = ["the page of a server", "median", "longest"];
    // A version without events can be measured beside this one.
    const { rows: tables } = await client.query("select to_regclass('server_events') as events");
    if (tables[0].events === null) return [head, row("as it is", none)];
    await client.query(SILENCES, [id]);
    await client.query("analyze server_events");
    return [head, row("without events", none), row("with 10,000 events", await ask())];
  } finally {
    await client.end();
  }
}
