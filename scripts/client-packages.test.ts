import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runProgram } from "@/e2e/support/run-program";
import { MINUTE } from "@/lib/format/time";
import { writeNpmPackage } from "./client-packages";

// Runs on each Node that is supported: `npm run nodes`.

const PROGRAM = `declare const process: { argv: string[] };
import { type Account, ConsoleApi, ConsoleApiError } from "console-api-client";

const api = new ConsoleApi({ origin: process.argv[2] ?? "", token: "cpat_x" });
const account: Account = await api.getAccount();
const failure: unknown = await api.getServer(7).catch((error: unknown) => error);
if (!(failure instanceof ConsoleApiError)) throw failure;
const status: number = failure.status;
console.log(JSON.stringify([account.name, status, failure.message]));
`;
let dir: string;
let home: string;
let installed: string;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "console-npm-"));
  const file = writeNpmPackage(dir);
  home = join(dir, "home");
  mkdirSync(home);
  const args = ["install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", join(dir, file)];
  const { status, stderr } = spawnSync("npm", args, { cwd: home, encoding: "utf8" });
  expect([status, stderr.replaceAll(/^npm (?:warn|notice).*\n/gm, "")]).toEqual([0, ""]);
  installed = join(home, "node_modules/console-api-client");
}, 2 * MINUTE);

afterAll(() => rmSync(dir, { recursive: true, force: true }));

test("the package has the client, its types, the licence and what changed, and asks for no other package", () => {
  expect(readdirSync(installed).sort()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "console-api.d.ts",
    "console-api.js",
    "package.json",
  ]);
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  expect(manifest).toMatchObject({ name: "console-api-client", version, license: "MIT", type: "module" });
  expect(Object.keys(manifest)).not.toContain("dependencies");
  expect(readFileSync(join(installed, "LICENSE"), "utf8")).toBe(readFileSync("public/clients/LICENSE", "utf8"));
  expect(readFileSync(join(installed, "CHANGELOG.md"), "utf8")).toContain("- `follow` of both clients gives");
  expect(readdirSync(join(home, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "console-api-client",
  ]);
});

test("a program of a stranger compiles against it strictly, with types that can be erased alone, and runs; a wrong one does not compile", {
  timeout: MINUTE,
}, async () => {
  writeFileSync(join(home, "program.ts"), PROGRAM);
  writeFileSync(
    join(home, "wrong.ts"),
    `import { ConsoleApi } from "console-api-client";\nnew ConsoleApi({ origin: 7 });\n`,
  );
  const manifest = { type: "module", dependencies: { "console-api-client": "*" } };
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
  const flags = "--ignoreConfig --strict --erasableSyntaxOnly --verbatimModuleSyntax --exactOptionalPropertyTypes";
  const target = "--target es2022 --module nodenext --lib es2023,dom --outDir out --types".split(" ");
  const compile = (file: string) =>
    spawnSync(
      process.execPath,
      [resolve("node_modules/typescript/bin/tsc"), ...flags.split(" "), ...target, "", file],
      {
        cwd: home,
        encoding: "utf8",
      },
    );
  expect(compile("program.ts")).toMatchObject({ status: 0, stdout: "" });
  expect(compile("wrong.ts").stdout).toContain("error TS2322");
  const erasesTypes = "typescript" in process.features && Boolean(process.features.typescript);
  const server = createServer(({ url }, response) => {
    response.statusCode = url === "/api/v1/me" ? 200 : 404;
    response.end(url === "/api/v1/me" ? '{"data":{"id":1,"name":"Ada"}}' : '{"error":"Not found."}');
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    for (const file of ["out/program.js", ...(erasesTypes ? ["program.ts"] : [])]) {
      const { code, output, errors } = await runProgram(process.execPath, [join(home, file), origin]);
      expect({ file, code, output: output.trim(), errors }).toEqual({
        file,
        code: 0,
        output: '["Ada",404,"Not found."]',
        errors: "",
      });
    }
  } finally {
    server.close();
  }
});
