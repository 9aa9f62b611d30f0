import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { build as bundle, type Plugin } from "esbuild";
import { PlainError } from "@/lib/failures";
import { readOrHelp } from "./arguments";
import { buildIfChanged, DIST_DIRS } from "./build";
import { OPERATOR_COMMANDS } from "./operator-commands";
import { writeArchive } from "./package/archive";
import { licencesOf } from "./package/licences";

const COMMANDS = Object.keys(OPERATOR_COMMANDS);

const HELP = `Writes a folder that runs in production with Node alone: server.mjs, and beside it ${COMMANDS.join(", ")}.

  npm run package [-- FOLDER]      "package" by default; what stands there is replaced
  npm run package -- --archive     also console-api-VERSION-COMMIT.tar.gz and the file of its SHA-256`;

/** The largest folder that is shipped, in bytes. */
const MAX_BYTES = 150 * 1024 * 1024;
/** Marks a folder that this command made and may replace. */
const MARK = "console-package";

/** Files of a build that nothing reads at run time. */
const BUILD_ONLY = /^(?:cache|dev|diagnostics|types|trace|trace-build|turbopack|console-build|.*\.nft\.json|.*\.map)$/;
/**
 * Files of Next that only builds or people read. The rest is copied whole, because tracing misses some of what it
 * loads.
 */
const NEXT_BUILD_ONLY = /^dist\/(?:esm|docs|bin)(?:\/|$)|\.(?:map|d\.ts|d\.mts)$/;
/** Optimises images, of which the console has none. */
const NEVER = /node_modules\/(?:sharp|@img)\//;
/** What starts it on a machine without containers. */
const DEPLOY = ["console@.service", "nginx.conf", "Caddyfile", "backup.sh"].map((name) => `deploy/${name}`);
/** Packages that are not bundled: Next looks for its own files. */
const EXTERNAL = ["next", "pg-native"];

/** `npm run package`. */
export async function main(args: string[]): Promise<void> {
  const { folder, archive, help } = parse(args);
  if (help) return console.log(HELP);
  await buildIfChanged(DIST_DIRS.app);
  const bytes = await writePackage(DIST_DIRS.app, folder);
  console.log(`Wrote ${folder}: ${Math.ceil(bytes / 1024 / 1024)} MB.`);
  if (!archive) return;
  const written = await writeArchive(folder, ".");
  console.log(`Wrote ${written.file}: ${Math.ceil(written.bytes / 1024 / 1024)} MB, SHA-256 ${written.sha256}.`);
}

function parse(args: string[]) {
  return readOrHelp(`\n${HELP}`, () => {
    const flag = { type: "boolean", default: false } as const;
    const options = { archive: flag, help: { ...flag, short: "h" } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [folder = "package", ...others] = positionals;
    if (others.length > 0) throw new Error(`One folder, not ${positionals.length}.`);
    return { folder, ...values };
  });
}

/** Writes the package of the build in `distDir`, and answers its size in bytes. @throws PlainError */
export async function writePackage(distDir: string, folder: string): Promise<number> {
  if (existsSync(folder) && readdirSync(folder).length > 0 && !existsSync(join(folder, MARK))) {
    throw new PlainError(`${folder} is not empty and no package; nothing was changed.`);
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, MARK), "");
  copyBuild(distDir, join(folder, ".next"));
  const copied = [...new Set([...tracedFiles(distDir), ...packageFiles("next")])].filter((path) => !NEVER.test(path));
  for (const path of copied) copy(path, join(folder, path));
  for (const path of ["public", "CHANGELOG.md", "prisma/migrations", ...DEPLOY]) copy(path, join(folder, path));
  const bundled = await bundleCode(folder);
  writeFileSync(join(folder, "LICENCES.txt"), licencesOf([...copied, ...bundled]));
  writeEntries(folder);
  const bytes = sizeOf(folder);
  if (bytes > MAX_BYTES) throw new PlainError(`The package has ${bytes} bytes, more than ${MAX_BYTES}.`);
  return bytes;
}

function copyBuild(distDir: string, target: string): void {
  for (const name of readdirSync(distDir)) {
    if (BUILD_ONLY.test(name)) continue;
    cpSync(join(distDir, name), join(target, name), {
      recursive: true,
      // Links to packages stay links, to the packages of the folder.
      verbatimSymlinks: true,
      preserveTimestamps: true,
      filter: (path) => !/\.(?:map|nft\.json)$/.test(path),
    });
  }
}

/** The files of packages that pages and handlers load, from the traces of the build. */
function tracedFiles(distDir: string): string[] {
  const traces = readdirSync(distDir, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".nft.json") && !path.startsWith("cache"))
    .map((path) => join(distDir, path));
  return traces
    .flatMap((trace) => {
      const { files } = JSON.parse(readFileSync(trace, "utf8")) as { files: string[] };
      return files.map((file) => relative(".", resolve(dirname(trace), file)));
    })
    .filter((path) => path.startsWith("node_modules/") && existsSync(path) && lstatSync(path).isFile());
}

function packageFiles(name: string): string[] {
  const folder = join("node_modules", name);
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => !(name === "next" && NEXT_BUILD_ONLY.test(path)))
    .map((path) => join(folder, path))
    .filter((path) => lstatSync(path).isFile());
}

/** Bundles the server and the commands with all packages except EXTERNAL. Answers the files that it took. */
async function bundleCode(folder: string): Promise<string[]> {
  const options = {
    bundle: true,
    metafile: true,
    platform: "node",
    format: "esm",
    target: "node20",
    define: { "process.env.CONSOLE_IS_PACKAGED": '"1"' },
    external: EXTERNAL.flatMap((name) => [name, `${name}/*`]),
    banner: {
      // CommonJS packages call `require` for Node's modules.
      js: 'import { createRequire as createRequireOfPackage } from "node:module"; const require = createRequireOfPackage(import.meta.url);',
    },
    logLevel: "error",
  } as const;
  const { metafile } = await bundle({
    ...options,
    entryPoints: {
      serve: "scripts/package/serve.ts",
      command: "scripts/package/command.ts",
      // Beside each other, as in the project: the one starts the other as a process.
      server: "server/server.mjs",
      workers: "server/workers.mjs",
    },
    splitting: true,
    outdir: join(folder, "code"),
    outExtension: { ".js": ".mjs" },
    plugins: [WITHOUT_EMBEDDED_DATABASE],
  });
  await bundle({ ...options, entryPoints: ["next.config.mjs"], outfile: join(folder, "next.config.mjs") });
  return Object.keys(metafile.inputs);
}

const WITHOUT_EMBEDDED_DATABASE: Plugin = {
  name: "without the embedded database",
  setup(build) {
    build.onResolve({ filter: /server\/embedded\/database$/ }, () => ({
      path: resolve("scripts/package/no-embedded-database.ts"),
    }));
  },
};

function writeEntries(folder: string): void {
  const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));
  const stamped = { name, version, commit: commitOfCheckout(), private: true };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(stamped, null, 2)}\n`);
  // Next reads its settings from the working directory, where the migrations also are.
  const settings = 'process.env.NODE_ENV = "production";\nprocess.env.NEXT_TELEMETRY_DISABLED = "1";\n';
  writeFileSync(
    join(folder, "server.mjs"),
    `import { fileURLToPath } from "node:url";\n\nprocess.chdir(fileURLToPath(new URL(".", import.meta.url)));\n${settings}process.env.CONSOLE_DIST_DIR = ".next";\nawait import("./code/serve.mjs");\n`,
  );
  for (const command of COMMANDS) {
    const file = join(folder, command);
    writeFileSync(
      file,
      `#!/usr/bin/env node\nprocess.chdir(__dirname);\n${settings}import("./code/command.mjs").then(({ run }) => run("${command}"));\n`,
    );
    chmodSync(file, 0o755);
  }
}

/** Undefined where the sources are no checkout of git. */
function commitOfCheckout(): string | undefined {
  const { status, stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return status === 0 ? stdout.trim() : undefined;
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  // Packages may be links in a checkout; in the folder they are files.
  cpSync(realpathSync(from), to, { recursive: true });
}

function sizeOf(path: string): number {
  const found = lstatSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}
