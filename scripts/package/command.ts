import { PlainError } from "@/lib/failures";
import { versionText } from "@/lib/process/build-info.mjs";
import { callMain } from "../called-as";
import { OPERATOR_COMMANDS, type OperatorCommand } from "../operator-commands";

/** Runs one of them as `npm run` does, and ends this process. */
export async function run(name: OperatorCommand): Promise<never> {
  if (process.argv[2] === "--version") {
    console.log(versionText());
    process.exit(0);
  }
  try {
    const { main } = await OPERATOR_COMMANDS[name]();
    await callMain(name, main, process.argv.slice(2));
    process.exit(0);
  } catch (error) {
    console.error(error instanceof PlainError ? error.message : error);
    process.exit(1);
  }
}
