import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseChangelog, readChangelog } from "@/app/changelog/changelog";
import { findBuildingPython, reasonWithout } from "@/e2e/support/programs.mjs";
import { PlainError } from "@/lib/failures";

/** The folder of the files that the console serves. Both packages are made of these. */
const SERVED = "public/clients";
const NAME = "console-api-client";
const DESCRIPTION = "Client of the Console API, v1: one file without dependencies.";

const HELP = `Writes the packages of both clients, for npm and for PyPI.

  npm run client-packages [-- FOLDER]      "client-packages" by default`;

const { version, engines } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string; engines: object };

/** `npm run client-packages`. */
export async function main(args: string[]): Promise<void> {
  const [folder = "client-packages", ...others] = args;
  if (others.length > 0 || folder.startsWith("-")) {
    if (["--help", "-h"].includes(folder)) return console.log(HELP);
    throw new PlainError(HELP);
  }
  const written = [writeNpmPackage(folder), ...writePythonPackage(folder)];
  console.log(written.map((file) => `Wrote ${join(folder, file)}`).join("\n"));
}

/** Writes what `npm publish` takes, and answers the name of the file. @throws PlainError */
export function writeNpmPackage(folder: string): string {
  return inTempFolder((dir) => {
    const manifest = {
      name: NAME,
      version,
      description: DESCRIPTION,
      license: "MIT",
      type: "module",
      sideEffects: false,
      engines,
      exports: "./console-api.js",
    };
    writeFileSync(join(dir, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
    const flags = "--ignoreConfig --strict --erasableSyntaxOnly --declaration --target es2022 --module nodenext";
    const compiler = ["node_modules/typescript/bin/tsc", ...flags.split(" "), "--lib", "es2023,dom", "--types", ""];
    run(process.execPath, [...compiler, "--outDir", dir, join(SERVED, "console-api.ts")]);
    const usage = `import { ConsoleApi } from "${NAME}";

const api = new ConsoleApi({ origin: "https://console.example.com", token });
for (const server of (await api.listServers()).servers) console.log(server.label, server.score);`;
    writeTexts(dir, dir, `npm install ${NAME}`, usage, "ts");
    mkdirSync(folder, { recursive: true });
    const packed = run("npm", ["pack", "--silent", "--pack-destination", resolve(folder)], dir);
    return packed.trim();
  });
}

/** Writes the source and the wheel that `twine upload` takes, and answers the names of the files. @throws PlainError */
export function writePythonPackage(folder: string): string[] {
  return inTempFolder((dir) => {
    const module = join(dir, "console_api");
    mkdirSync(module);
    copyFileSync(join(SERVED, "console_api.py"), join(module, "__init__.py"));
    // Says that the module has types (PEP 561). A single file cannot say so, so it is a folder.
    writeFileSync(join(module, "py.typed"), "");
    writeFileSync(join(dir, "pyproject.toml"), PYPROJECT);
    const usage = `from console_api import ConsoleApi

api = ConsoleApi("https://console.example.com", token)
for server in api.list_servers()["servers"]:
    print(server["label"], server["score"])`;
    writeTexts(dir, module, `pip install ${NAME}`, usage, "python");
    const built = join(dir, "dist");
    run(requirePython(), ["-m", "build", "--no-isolation", "--outdir", built, dir]);
    cpSync(built, folder, { recursive: true });
    return readdirSync(built);
  });
}

// The licence stands in a file and in a classifier. The oldest setuptools in use and the newest one agree on no other way.
const PYPROJECT = `[build-system]
requires = ["setuptools>=61"]
build-backend = "setuptools.build_meta"

[project]
name = "${NAME}"
version = "${version}"
description = "${DESCRIPTION}"
readme = "README.md"
requires-python = ">=3.8"
classifiers = ["License :: OSI Approved :: MIT License", "Programming Language :: Python :: 3", "Typing :: Typed"]

[tool.setuptools]
packages = ["console_api"]

[tool.setuptools.package-data]
console_api = ["py.typed", "CHANGELOG.md"]
`;

/** Writes the licence and the readme of a package, and the changelog where the package keeps it. */
function writeTexts(dir: string, changelogDir: string, install: string, usage: string, language: string): void {
  copyFileSync(join(SERVED, "LICENSE"), join(dir, "LICENSE"));
  const readme = [
    `# ${NAME}`,
    `${DESCRIPTION} A token comes from the page “API tokens” of your console, whose page \`/docs/api\` is the reference.`,
    `\`\`\`sh\n${install}\n\`\`\``,
    `\`\`\`${language}\n${usage}\n\`\`\``,
  ];
  writeFileSync(join(dir, "README.md"), `${readme.join("\n\n")}\n`);
  writeFileSync(join(changelogDir, "CHANGELOG.md"), changesOfClients());
}

function requirePython(): string {
  const python = findBuildingPython();
  if (python) return python;
  throw new PlainError(`The package for Python cannot be built: ${reasonWithout("python3 with build and pip")}.`);
}

/** What the changelog says about the clients, by version. */
function changesOfClients(): string {
  const releases = parseChangelog(readChangelog()).flatMap(({ title, groups }) => {
    const items = groups.find((group) => group.title === "Clients and recipes")?.items ?? [];
    return items.length > 0 ? [`## ${title}\n\n${items.map((item) => `- ${item}`).join("\n")}\n`] : [];
  });
  return `# Changes\n\n${releases.join("\n")}`;
}

function inTempFolder<Result>(work: (dir: string) => Result): Result {
  const dir = mkdtempSync(join(tmpdir(), "console-client-"));
  try {
    return work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Runs a program to its end and answers its output. @throws PlainError with what it said when it fails. */
function run(program: string, args: string[], cwd = "."): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new PlainError(`${program} ${args.join(" ")} failed.\n${error?.message ?? ""}${stdout ?? ""}${stderr ?? ""}`);
}
