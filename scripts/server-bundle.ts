import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { isMachinePath } from "@/lib/http/machine-path.mjs";

/** The module that lists the machine routes. It stands in no file. */
const LIST = "@/server/machine-routes";
const PACKAGE = /^(?:[a-z]|@[a-z])/;

/** Bundles the HTTP server with the handlers of all machine routes into one file of the build. Packages stay outside. */
export async function bundleServer(distDir: string): Promise<void> {
  const bundle = await rolldown({
    input: "server/server.ts",
    platform: "node",
    tsconfig: "tsconfig.json",
    external: PACKAGE,
    // It takes calls for pure that are made for what they throw.
    treeshake: false,
    plugins: [listOfRoutes()],
  });
  try {
    // By its first line a start knows the build that it belongs to.
    const banner = `// Build ${readFileSync(join(distDir, "BUILD_ID"), "utf8")}`;
    const file = join(distDir, "server.mjs");
    await bundle.write({ file, format: "esm", banner, sourcemap: true, codeSplitting: false });
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
