import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { Bench } from "@/bench/bench";
import { createScratchDatabase, fill } from "@/bench/database";
import { edge } from "@/bench/edge";
import { firstStart } from "@/bench/first-start";
import { notices } from "@/bench/notices";
import { SECTIONS, type SectionName } from "@/bench/sections";
import { watch } from "@/bench/watch";
import { startPostgres } from "@/e2e/support/postgres-server";
import { has } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";
import { parseEnv } from "@/lib/process/env-variables";
import { startEmbeddedDatabase } from "@/server/embedded/database";
import { readOrHelp } from "./arguments";
import { buildIfChanged, DIST_DIRS } from "./build";
import { listenForStop } from "./signals";
import { formatTable } from "./table";

const NAMES = Object.keys(SECTIONS) as SectionName[];
/** Measured alone and only when named: they install and build for minutes, and need no database of the bench. */
const ALONE: Readonly<Record<string, () => Promise<(readonly string[])[]>>> = {
  "first-start": firstStart,
  edge,
  watch,
  notices: async () => {
    await buildIfChanged(DIST_DIRS.test);
    return notices();
  },
};

const HELP = `Measures the API beside a peer written by hand, in about three minutes. Only the ratios mean anything elsewhere.

  npm run bench -- [SECTION …] [--postgres] [--rounds N] [--profile FOLDER]

Sections, all of them by default: ${NAMES.join(", ")}.
Only when named, alone, some minutes each: first-start (npm run demo on a fresh
clone), edge (an
edge node under attack, in a network namespace; needs root, haproxy and nft), watch (a look for silent servers among
10,000; needs PostgreSQL), notices (a look for something to tell beside 10,000 told outages, and how late it arrives; needs
PostgreSQL).
The database is its own: on the server that DATABASE_URL names, with --postgres on a PostgreSQL server that it starts,
else an embedded one. It is gone at the end.

  --rounds N          how often each case is measured (1 to 20; 3); medians are shown
  --profile FOLDER    writes a CPU profile of the app into the folder`;

/** `npm run bench`: what the API costs, as ratios to a peer that does the same work. Loopback only, ends by itself. */
export async function main(args: string[]): Promise<void> {
  const alone = args.length === 1 && Object.hasOwn(ALONE, args[0] ?? "") ? ALONE[args[0] ?? ""] : undefined;
  if (alone) return console.log(`\n${formatTable(await alone())}`);
  const { sections, rounds, ownPostgres, variables, isHelp } = readArguments(args);
  if (isHelp) return console.log(HELP);
  const { databaseUrl } = parseEnv(process.env);
  await buildIfChanged(DIST_DIRS.test);
  const stop = listenForStop();
  const started: { stop(): Promise<void> }[] = [];
  try {
    await Promise.race([run(), stop.given]);
  } finally {
    for (const one of started.reverse()) await one.stop().catch(console.error);
  }

  async function run(): Promise<void> {
    const bench = new Bench(await fill(await openDatabase()), variables);
    started.push(bench);
    for (const name of sections) {
      const rows = await SECTIONS[name](bench, rounds);
      console.log(`\n${formatTable(rows)}`);
    }
  }

  async function openDatabase(): Promise<string> {
    if (!databaseUrl && !ownPostgres) {
      const embedded = await startEmbeddedDatabase();
      started.push(embedded);
      return embedded.url;
    }
    const database = await createScratchDatabase(databaseUrl ?? (await startServer()));
    started.push({ stop: database.drop });
    return database.url;
  }

  async function startServer(): Promise<string> {
    const server = await startPostgres();
    started.push(server);
    return server.url;
  }
}

function readArguments(args: string[]) {
  const options = {
    postgres: { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
    profile: { type: "string" },
    help: { type: "boolean", default: false },
  } as const;
  const read = () => parseArgs({ args, options, allowPositionals: true });
  const { values, positionals } = readOrHelp(`\n${HELP}`, read);
  for (const name of positionals) {
    if (!isSection(name)) throw new PlainError(`There is no section "${name}". Sections: ${NAMES.join(", ")}.`);
  }
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 20) {
    throw new PlainError(`--rounds must be a whole number from 1 to 20, not "${values.rounds}".`);
  }
  if (values.postgres && !has("postgres")) throw new PlainError("There is no PostgreSQL server on this machine.");
  const variables: Record<string, string> = values.profile
    ? {
        NODE_OPTIONS: `--import=${new URL("../bench/profile.mjs", import.meta.url)}`,
        BENCH_PROFILE: resolve(values.profile),
      }
    : {};
  return {
    sections: positionals.length > 0 ? NAMES.filter((name) => positionals.includes(name)) : NAMES,
    rounds,
    ownPostgres: values.postgres,
    variables,
    isHelp: values.help,
  };
}

function isSection(name: string): name is SectionName {
  return Object.hasOwn(SECTIONS, name);
}
