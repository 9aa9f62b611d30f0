// Runs a command of operators again and again, as scripts/run.mjs does once. Sent the arguments, it answers what the
// command printed and its exit code.
import { PlainError } from "@/lib/failures";
import { main } from "@/scripts/console";

const [command = ""] = process.argv.slice(2);

process.on("message", async (args: string[]) => {
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (text: string | Uint8Array) => {
      printed[name] += text;
      return true;
    };
  }
  let code = 0;
  try {
    await main([command, ...args]);
  } catch (error) {
    code = 1;
    console.error(error instanceof PlainError ? error.message : error);
  }
  process.send?.({ code, ...printed });
});
process.once("disconnect", () => process.exit(0));
process.send?.("ready");
