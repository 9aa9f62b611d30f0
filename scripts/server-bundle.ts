import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { PlainError } from "@/lib/failures";
import { isMachinePath } from "@/lib/http/machine-path.mjs";

/** The module that lists the machine routes. It stands in no file. */
const LIST = "@/server/machine-routes";
const PACKAGE = /^(?:[a-z]|@[a-z])/;
/** What belongs to pages. A route of machines that needed it could not run outside of Next. */
const OF_PAGES = /^(?:next|react|react-dom|server-only)(?:\/|$)|\.(?:css|tsx)$/;

/** The first line of the bundle, by which a start knows the build that it belongs to. */
function bundleHead(distDir: string): string {
  return `// Build ${readFileSync(join(distDir, "BUILD_ID"), "utf8")}`;
}

/**
 * Bundles the HTTP server with the handlers of all machine routes into one file of the build. Packages stay outside.
 * @throws PlainError with the chain of imports when a route needs what belongs to pages
 */
export async function bundleServer(distDir: string): Promise<void> {
  const bundle = await rolldown({
    input: "server/server.ts",
    platform: "node",
    tsconfig: "tsconfig.json",
    // It takes calls for pure that are made for what they throw.
    treeshake: false,
    plugins: [listOfRoutes(), refusePages()],
  });
  try {
    const { output } = await bundle.generate({ format: "esm", sourcemap: true, codeSplitting: false });
    const [{ code: written, map }] = output;
    const code = written.replace(/^\/\/# sourceMappingURL=.*$/m, "");
    writeFileSync(
      join(distDir, "server.mjs"),
      `${bundleHead(distDir)}\n${code}\n//# sourceMappingURL=server.mjs.map\n`,
    );
    // The head is a line more.
    if (map) writeFileSync(join(distDir, "server.mjs.map"), JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
  } finally {
    await bundle.close();
  }
}

/** The folders of `app/` with a machine route, as paths. */
function machineRoutes(): string[] {
  return readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("/route.ts"))
    .map((file) => `/${file.slice(0, -"/route.ts".length)}`)
    .filter(isMachinePath)
    .sort();
}

function listOfRoutes(): Plugin {
  return {
    name: "machine-routes",
    resolveId: (id) => (id === LIST ? LIST : null),
    load(id) {
      if (id !== LIST) return null;
      const paths = machineRoutes();
      const imports = paths.map((path, n) => `import * as route${n} from "@/app${path}/route";`);
      const entries = paths.map((path, n) => `  { pattern: ${JSON.stringify(path)}, handlers: route${n} },`);
      return `${imports.join("\n")}\nexport const routes = [\n${entries.join("\n")}\n];\n`;
    },
  };
}

/** Fails where a file outside of `server/` imports what belongs to pages. */
function refusePages(): Plugin {
  const importers = new Map<string, string>();
  const chainOf = (id: string): string[] => {
    const importer = importers.get(id);
    return [...(importer ? chainOf(importer) : []), id.startsWith("/") ? relative(process.cwd(), id) : id];
  };
  return {
    name: "no-pages",
    async resolveId(source, importer) {
      if (!importer) return null;
      // Packages stay outside.
      const isPackage = PACKAGE.test(source) && source !== LIST;
      const resolved = isPackage
        ? { id: source, external: true }
        : await this.resolve(source, importer, { skipSelf: true });
      const id = resolved?.id ?? source;
      if (!importers.has(id)) importers.set(id, importer);
      const isOfServer = relative(process.cwd(), importer).startsWith("server/");
      if (!isOfServer && OF_PAGES.test(id)) {
        const chain = [...chainOf(importer), source].join("\n  imports ");
        throw new PlainError(`A route of machines needs what belongs to pages:\n  ${chain}`);
      }
      return resolved;
    },
  };
}
