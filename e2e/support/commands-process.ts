// Runs a command of package.json again and again, as scripts/run.mjs does once. Sent the arguments, it answers what the
// command printed and its exit code.
import { PlainError } from "@/lib/failures";
import { callMain } from "@/scripts/called-as";

const [command = ""] = process.argv.slice(2);
const { main } = (await import(`../../scripts/${command}.ts`)) as { main(args: string[]): Promise<number | undefined> };

process.on("message", async (args: string[]) => {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += text;
      return true;
    };
  }
  let code = 1;
  try {
    code = (await callMain(command, main, args)) ?? 0;
  } catch (error) {
    console.error(error instanceof PlainError ? error.message : error);
  }
  process.send?.({ code, ...printed });
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
