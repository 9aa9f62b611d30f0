import { parseArgs } from "node:util";
import { parseEnv } from "@/lib/process/env-variables";
import { readOrHelp } from "./arguments";
import { calledAlone, calledAs } from "./called-as";
import { migrate, openDatabase } from "./database";
import { compareMigrations, listMigrations } from "./migrations";

const HELP = `Brings the database up to date. Run it once per release, before the instances are replaced.
It may be stopped at any moment and run again.

  ${calledAlone("migrate")}
  ${calledAs("migrate")} --status   what is applied, and what is pending`;

/** `npm run migrate`. */
export async function main(args: string[]): Promise<void> {
  const flag = { type: "boolean", default: false } as const;
  const options = { status: flag, help: { ...flag, short: "h" } } as const;
  const { status, help } = readOrHelp(`\n${HELP}`, () => parseArgs({ args, options }).values);
  if (help) return console.log(HELP);
  const database = await openDatabase(parseEnv(process.env), false);
  try {
    if (status) return console.log(await describeStatus(database.url));
    await migrate(database.url, { say: console.error });
    console.log("The database is up to date.");
  } finally {
    await database.stop();
  }
}

async function describeStatus(url: string): Promise<string> {
  const { missing, failed, changed, newer } = await compareMigrations(url);
  const count = listMigrations().length;
  return [
    `Applied: ${count - missing.length} of ${count}.`,
    ...missing.map((name) => `Pending: ${name}${failed.includes(name) ? " (has failed, and is tried again)" : ""}`),
    ...changed.map((name) => `Applied with another text: ${name}`),
    ...newer.map((name) => `Of a newer version: ${name}`),
  ].join("\n");
}
