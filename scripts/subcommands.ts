import { type ParseArgsConfig, parseArgs } from "node:util";
import { PlainError } from "@/lib/failures";
import { readOrHelp } from "./arguments";
import { withDatabase } from "./with-database";

type Options = NonNullable<ParseArgsConfig["options"]>;
type Values<Of extends Options> = ReturnType<typeof parseArgs<{ options: Of }>>["values"];

/** A subcommand. `operands`: their names in the usage, those in brackets may be absent; `options`: the rest of the usage. */
export type Subcommand<Of extends Options> = {
  operands: string;
  options?: string;
  run(operands: string[], values: Values<Of>): Promise<string>;
};

/** Runs the subcommand that the arguments name, and prints its answer. @throws PlainError with the usage. */
export async function runSubcommand<const Of extends Options>(
  { calledAs, help, options }: { calledAs: string; help: string; options: Of },
  subcommands: Readonly<Record<string, Subcommand<Of>>>,
  [name = "help", ...args]: string[],
): Promise<void> {
  if (["help", "--help", "-h"].includes(name)) return console.log(help);
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (!subcommand) throw new PlainError(`There is no command "${name}".\n\n${help}`);
  const { positionals, values } = parse(subcommand);
  await withDatabase(async () => console.log(await subcommand.run(positionals, values)));

  function parse({ operands, options: rest = "" }: Subcommand<Of>) {
    const names = operands.split(" ").filter(Boolean);
    const usage = `Usage: ${calledAs} ${name} ${operands} ${rest}`.replaceAll(/ +/g, " ").trim();
    return readOrHelp(`${usage}\n\n${help}`, () => {
      const parsed = parseArgs({ args, options, allowPositionals: true });
      const [given, needed] = [parsed.positionals.length, names.filter((one) => !one.startsWith("[")).length];
      if (given < needed || given > names.length) throw new Error("Wrong number of arguments.");
      return parsed;
    });
  }
}
