import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "@/e2e/support/run-program";
import { tempFolder } from "@/e2e/support/temp-folder";
import { writeClients } from "./documents";

test("the console serves exactly the clients that its document generates", async () => {
  const dir = tempFolder();
  await writeClients(dir);
  // The command line and the licence are written by hand.
  expect(readdirSync("public/clients").sort()).toEqual(["LICENSE", "console", ...readdirSync(dir)].sort());
  for (const file of readdirSync(dir)) {
    expect(readFileSync(join("public/clients", file), "utf8"), file).toBe(readFileSync(join(dir, file), "utf8"));
  }
});

test("the TypeScript client runs in Node as plain JavaScript without its types", {
  timeout: 60_000,
}, async () => {
  const file = "public/clients/console-api.ts";
  const flags = "--ignoreConfig --noEmit --strict --erasableSyntaxOnly --target es2022 --lib es2023,dom --types".split(
    " ",
  );
  const compiled = await runProgram(process.execPath, ["node_modules/typescript/bin/tsc", ...flags, "", file]);
  expect(compiled).toMatchObject({ code: 0, output: "", errors: "" });
  // Node 20 cannot strip types. CI runs this on the newest Node as well.
  if (!("typescript" in process.features && process.features.typescript)) return;
  const program = `import { ConsoleApiError } from "./${file}";
    const { name, message, status, requestId, retryAfter } = new ConsoleApiError("m", 429, "id", 7);
    console.log(JSON.stringify([name, message, status, requestId, retryAfter]));`;
  const { output } = await runProgram(process.execPath, ["--input-type=module", "--eval", program]);
  expect(JSON.parse(output)).toEqual(["ConsoleApiError", "m", 429, "id", 7]);
});
