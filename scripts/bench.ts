import { parseArgs } from "node:util";
import { createScratchDatabase, fill } from "@/bench/database";
import { firstStart } from "@/bench/first-start";
import { neighbours } from "@/bench/neighbours";
import { requests } from "@/bench/requests";
import { startPostgres } from "@/e2e/support/postgres-server";
import { has } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";
import { parseEnv } from "@/lib/process/env-variables";
import { readOrHelp } from "./arguments";
import { buildIfChanged, DIST_DIRS } from "./build";
import { formatTable } from "./table";

const ON_DATABASE = { requests, neighbours };

const HELP = `Measures on this machine, on loopback alone. Only the ratios mean anything elsewhere.

  npm run bench -- requests [--rounds N]   the API beside a peer that does the same work (1 to 20 rounds; 3)
  npm run bench -- neighbours              how long a customer waits beside one that asks for very much
  npm run bench -- first-start             npm run demo on a fresh clone beside a build of one page; takes minutes

The first two make a database of their own on the server that DATABASE_URL names, or on a PostgreSQL server that they
start, and take it away at the end.`;

/** `npm run bench`: what the API costs, as ratios. */
export async function main(args: string[]): Promise<void> {
  const options = { rounds: { type: "string", default: "3" }, help: { type: "boolean", default: false } } as const;
  const { values, positionals } = readOrHelp(`\n${HELP}`, () => parseArgs({ args, options, allowPositionals: true }));
  const [section = "", ...others] = positionals;
  if (values.help) return console.log(HELP);
  if (section === "first-start" && others.length === 0) return print(await firstStart());
  const rounds = Number(values.rounds);
  if (!Object.hasOwn(ON_DATABASE, section) || others.length > 0 || !(rounds >= 1 && rounds <= 20))
    throw new PlainError(HELP);
  const { databaseUrl } = parseEnv(process.env);
  if (!databaseUrl && !has("postgres"))
    throw new PlainError("There is no PostgreSQL server on this machine; name one in DATABASE_URL.");
  await buildIfChanged(DIST_DIRS.test);
  const server = databaseUrl ? null : await startPostgres();
  const database = await createScratchDatabase(databaseUrl ?? server?.url ?? "");
  try {
    print(await ON_DATABASE[section as keyof typeof ON_DATABASE](await fill(database.url), rounds));
  } finally {
    await database.drop();
    await server?.stop();
  }
}

function print(rows: (readonly string[])[]): void {
  console.log(`\n${formatTable(rows)}`);
}
