import { parseArgs } from "node:util";
import { parseEnv } from "@/lib/process/env-variables";
import { readOrHelp } from "./arguments";
import { calledAlone, calledAs } from "./called-as";
import { migrate, openDatabase } from "./database";
import { resolveMigrations } from "./migrate/resolve";
import { type SessionOptions, Stopped } from "./migrate/session";
import { describeStatus } from "./migrate/status";
import { listenForStop } from "./signals";

const MIGRATE = calledAs("migrate");

const HELP = `Brings the database up to date while consoles serve from it. Run it once per release, before the instances are replaced.
It may be stopped at any moment and run again.

  ${calledAlone("migrate")}
  ${MIGRATE} --status     what is applied, and what each migration that is not will lock and write
  ${MIGRATE} --resolve    settles migrations that failed in the middle`;

/** `npm run migrate`. */
export async function main(args: string[]): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const options = { status: flag, resolve: flag, help: { ...flag, short: "h" } } as const;
  const { status, resolve, help } = readOrHelp(`\n${HELP}`, () => parseArgs({ args, options }).values);
  if (help) return console.log(HELP);
  const database = await openDatabase(parseEnv(process.env), false);
  try {
    if (status) return console.log(await describeStatus(database.url));
    const session = sessionOptions();
    if (resolve) return console.log((await resolveMigrations(database.url, session)).join("\n"));
    await migrate(database.url, session);
    console.log("The database is up to date.");
  } finally {
    await database.stop();
  }
}

function sessionOptions(): SessionOptions {
  const stopping = new AbortController();
  void listenForStop().given.then(() => stopping.abort(new Stopped()));
  return { say: (line) => console.error(line), stop: stopping.signal };
}
